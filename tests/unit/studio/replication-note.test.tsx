// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ReplicationNote } from "~/features/operations/backups/backup-panel";

afterEach(cleanup);

const COPIED_AT = Date.parse("2026-01-31T03:00:00.000Z");

it.each([
  ["following", COPIED_AT, "Litestream follows the database.", "its own metrics say"],
  ["behind", COPIED_AT, "Litestream no longer follows the database.", "Is it running?"],
  ["never", null, "Litestream has not copied anything yet.", "Is it running?"],
] as const)(
  "shows the state of Litestream (%s), and no more than is known",
  (state, copiedAt, says, hint) => {
    render(<ReplicationNote replication={{ state, copiedAt }} />);
    const note = screen.getByRole("region", { name: "Litestream" }).textContent;
    expect(note).toContain(says);
    expect(note).toContain(hint);
    expect(note?.includes("Its last copy")).toBe(copiedAt !== null);
  },
);
