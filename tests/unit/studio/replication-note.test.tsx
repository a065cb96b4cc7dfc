// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ReplicationNote } from "~/features/operations/backups/backup-panel";

afterEach(cleanup);

const COPIED_AT = Date.parse("2026-01-31T03:00:00.000Z");

it.each([
  ["following", COPIED_AT, "Litestream is replicating the database.", "check Litestream’s metrics"],
  [
    "behind",
    COPIED_AT,
    "Litestream has stopped replicating the database.",
    "Check that it is running.",
  ],
  ["never", null, "Litestream hasn’t replicated anything yet.", "Check that it is running."],
] as const)(
  "shows Litestream's state (%s), and the last replication time only if it is known",
  (state, copiedAt, says, hint) => {
    render(<ReplicationNote replication={{ state, copiedAt }} />);
    const note = screen.getByRole("region", { name: "Litestream" }).textContent;
    expect(note).toContain(says);
    expect(note).toContain(hint);
    expect(note?.includes("Last replicated")).toBe(copiedAt !== null);
  },
);
