import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addMessage,
  closeReport,
  createReport,
  eraseReport,
  moveReport,
  readMessages,
  readReport,
  reportsToErase,
} from "~/features/moderation/reports/report-records.server";
import { forgetSettings, parseSettings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { TEST_SECRET, useTemporarySite } from "../../temporary-site";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-23T12:00:00.000Z");
const PAYLOAD = {
  name: "Ada Example",
  email: "ada@example.org",
  where: "https://videos.example/video/a",
  what: "It shows me.",
  statements: ["It is true."],
};
const REPORT = { id: "r", kind: "consent", videos: ["a"], payload: PAYLOAD } satisfies Parameters<
  typeof createReport
>[0];

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const write: typeof transaction = (work) => transaction(work);
function set(environment: Record<string, string>): void {
  Object.assign(process.env, environment);
  forgetSettings();
}
const stored = () =>
  JSON.stringify(
    ["reports", "report_messages", "outbox"].map((table) =>
      sqliteHandle().prepare(`SELECT * FROM ${table}`).all(),
    ),
  );

describe("a report", () => {
  it("is stored encrypted, and is read back unchanged", async () => {
    expect(await write(() => createReport(REPORT, NOW))).toBe(true);
    expect(readReport("r")).toMatchObject({ state: "open", decision: null, payload: PAYLOAD });
    for (const typed of ["Ada", "ada@", "videos.example", "shows me"]) {
      expect(stored()).not.toContain(typed);
    }
  });

  it("is stored only once, even if it is sent repeatedly", async () => {
    await write(() => createReport(REPORT, NOW));
    const other = { ...REPORT, payload: { ...PAYLOAD, what: "Something else." } };
    expect(await write(() => createReport(other, NOW))).toBe(false);
    expect(readReport("r")?.payload).toEqual(PAYLOAD);
  });

  it("is due after 48 hours if it is urgent, otherwise after REPORT_DEADLINE", async () => {
    set({ REPORT_DEADLINE: "10h" });
    for (const kind of ["consent", "under-age", "copyright", "private", "other"] as const) {
      await write(() => createReport({ ...REPORT, id: kind, kind }, NOW));
      const hours = (Date.parse(readReport(kind)?.dueAt ?? "") - NOW) / HOUR;
      expect([kind, hours]).toEqual([kind, kind === "consent" || kind === "under-age" ? 48 : 10]);
    }
  });

  it("is closed only by the first of two moderators", async () => {
    await write(() => createReport(REPORT, NOW));
    expect(await write(() => closeReport({ id: "r", decision: "remove" }, NOW))).toBe(true);
    expect(await write(() => closeReport({ id: "r", decision: "keep" }, NOW))).toBe(false);
    expect(readReport("r")).toMatchObject({ state: "closed", decision: "remove" });
    const again = { id: "r", decision: "restore", again: true } as const;
    expect(await write(() => closeReport(again, NOW))).toBe(true);
  });

  it("waits for the reporter, then for a moderator again", async () => {
    await write(() => createReport(REPORT, NOW));
    const transition = { id: "r", from: ["open"], to: "asked" } as const;
    expect(await write(() => moveReport(transition, NOW))).toBe(true);
    expect(await write(() => moveReport(transition, NOW))).toBe(false);
    expect(readReport("r")?.state).toBe("asked");
  });

  it("is written only in a transaction, together with its log entry", () => {
    expect(() => createReport(REPORT)).toThrow("transaction");
  });
});

describe("messages", () => {
  it("are stored encrypted, oldest first", async () => {
    await write(() => {
      createReport(REPORT, NOW);
      addMessage({ reportId: "r", author: "moderator", text: "Which minute?" }, NOW);
      addMessage({ reportId: "r", author: "reporter", text: "The third." }, NOW);
    });
    expect(readMessages("r").map(({ author, text }) => [author, text])).toEqual([
      ["moderator", "Which minute?"],
      ["reporter", "The third."],
    ]);
    expect(stored()).not.toContain("minute");
  });
});

describe("text encrypted with another secret", () => {
  it("is reported as unreadable, and is readable again with the right secret", async () => {
    await write(() => {
      createReport(REPORT, NOW);
      addMessage({ reportId: "r", author: "reporter", text: "The third." }, NOW);
    });
    set({ SESSION_SECRET: "another-secret-for-tests-of-32-letters" });
    expect(readReport("r")).toMatchObject({ state: "open", payload: "unreadable" });
    expect(readMessages("r")[0]?.text).toBeUndefined();
    // A decision can still be made.
    expect(await write(() => closeReport({ id: "r", decision: "remove" }, NOW))).toBe(true);
    set({ SESSION_SECRET: `another-secret-for-tests-of-32-letters,${TEST_SECRET}` });
    expect(readReport("r")?.payload).toEqual(PAYLOAD);
    expect(readMessages("r")[0]?.text).toBe("The third.");
  });
});

describe("a report's emails", () => {
  const events = () => sqliteHandle().prepare("SELECT event FROM outbox").pluck().all();

  it("are queued if there is both a mail server and an email address", async () => {
    await write(() => createReport({ ...REPORT, id: "before" }, NOW));
    set({ SMTP_URL: "smtp://127.0.0.1:2525", SMTP_FROM: "site@example.org" });
    await write(() =>
      createReport({ ...REPORT, id: "none", payload: { ...PAYLOAD, email: "" } }, NOW),
    );
    expect(events()).toEqual([]);
    await write(() => {
      createReport(REPORT, NOW);
      moveReport({ id: "r", from: ["open"], to: "asked" }, NOW);
      closeReport({ id: "r", decision: "remove" }, NOW);
    });
    expect(events()).toEqual(["received", "asked", "decided"]);
    await write(() => eraseReport("r", NOW));
    expect(events()).toEqual([]);
  });
});

describe("erasing a report", () => {
  it("is due once REPORT_KEEP has passed since the report was closed, and leaves no text behind", async () => {
    set({ REPORT_KEEP: "2d" });
    await write(() => {
      createReport(REPORT, NOW);
      createReport({ ...REPORT, id: "open" }, NOW);
      addMessage({ reportId: "r", author: "reporter", text: "The third." }, NOW);
      closeReport({ id: "r", decision: "keep" }, NOW);
    });
    expect(reportsToErase(NOW + 48 * HOUR - 1)).toEqual([]);
    expect(reportsToErase(NOW + 48 * HOUR)).toEqual(["r"]);
    expect(await write(() => eraseReport("r", NOW + 48 * HOUR))).toBe(true);
    expect(reportsToErase(NOW + 400 * HOUR)).toEqual([]);
    expect(readReport("r")).toMatchObject({ decision: "keep", payload: null });
    expect(readMessages("r")).toEqual([]);
    const add = () => addMessage({ reportId: "r", author: "reporter", text: "More." }, NOW);
    expect(await write(add)).toBeUndefined();
  });
});

describe("100,000 reports", () => {
  it("are found using indexes, without sorting", () => {
    const plans = [
      "SELECT * FROM reports WHERE id = ?",
      "SELECT * FROM report_messages WHERE report_id = ? ORDER BY sent_at DESC, rowid DESC LIMIT 9",
      "SELECT id FROM reports WHERE state <> 'closed' ORDER BY due_at, id LIMIT 9",
      "SELECT report_id FROM report_videos WHERE video_id = ?",
      "SELECT id FROM reports WHERE closed_at IS NOT NULL AND erased_at IS NULL AND closed_at <= ? ORDER BY closed_at LIMIT 9",
      "SELECT * FROM outbox WHERE report_id IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT 9",
    ].flatMap((sql) => {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      return sqliteHandle().prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as {
        detail: string;
      }[];
    });
    for (const { detail } of plans) expect(detail).not.toMatch(/TEMP B-TREE|SCAN \w+$/);
  });
});

describe("the report settings", () => {
  it.each([
    ["REPORT_HIDE", "perhaps"],
    ["REPORT_DEADLINE", "5"],
    ["REPORT_DEADLINE", "30m"],
    ["REPORT_KEEP", "1h"],
    ["REPORT_KEEP", "-1d"],
  ])("with %s=%s are rejected with an error message", (name, value) => {
    expect(() => parseSettings({ [name]: value })).toThrow(`${name} must be `);
  });
});
