import { beforeEach, describe, expect, it } from "vitest";
import { listStrikes } from "~/features/accounts/users/strikes.server";
import { loadReview } from "~/features/library/review/review.server";
import { action as review } from "~/features/library/routes/review";
import { decideReport } from "~/features/moderation/reports/decide.server";
import type { ModeratorDecision } from "~/features/moderation/reports/decisions";
import { eraseClosedReport } from "~/features/moderation/reports/report-forms.server";
import { eraseDueReports } from "~/features/moderation/reports/report-mails.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import { addMessage, createReport } from "~/features/moderation/reports/report-records.server";
import { deleteOldDecisions } from "~/features/moderation/reports/uploader-decisions.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, adminCookie, expectSuccessOf, useAdminSite } from "../../admin-requests";

/** Tests that no text about a report remains after REPORT_KEEP. */

useAdminSite();
const NOW = Date.now();
const DAY_MS = 24 * 3_600_000;
const TYPED = "She typed this";
const ANSWERED = "She answered this";
const REASON = "The moderator wrote this";

function report(id: string, videos = ["v"]) {
  const texts = { name: TYPED, email: "ann@example.org", where: "/video/v", what: TYPED };
  const payload = { ...texts, statements: [] };
  return transaction(() => {
    createReport({ id, kind: "private", videos, payload }, NOW);
    addMessage({ reportId: id, author: "reporter", text: ANSWERED }, NOW);
  });
}

const decide = (
  id: string,
  decision: ModeratorDecision,
  { now = NOW, videos = ["v"], isStrike = false } = {},
) => {
  const version = readReportPage(id)?.version ?? "";
  return decideReport(id, { decision, reason: REASON, videos, version, isStrike }, "u", now);
};

const note = (text: string) =>
  expectSuccessOf(() =>
    review({
      request: new Request("http://localhost/admin/review/v", {
        method: "POST",
        body: new URLSearchParams({ intent: "note", note: text }),
        headers: { Cookie: adminCookie(), Origin: "http://localhost", Host: "localhost" },
      }),
      params: { id: "v" },
      context: {},
    }),
  );
const notesOf = (id: string) => (loadReview(id)?.notes ?? []).map(({ text }) => text);

/** Returns the tables that contain the text unencrypted. */
function tablesWith(text: string): string[] {
  const tables = sqliteHandle()
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  return tables.filter((name) =>
    JSON.stringify(sqliteHandle().prepare(`SELECT * FROM "${name}"`).all()).includes(text),
  );
}
const rowsOf = (table: string) =>
  sqliteHandle().prepare(`SELECT count(*) FROM ${table} WHERE report_id = 'r'`).pluck().get();

beforeEach(() => {
  sqliteHandle().exec(
    "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
  );
  for (const id of ["v", "w"]) addVideo({ id, status: "published", uploaded_by: "up" });
});

describe("moderators' notes about a report", () => {
  it("are deleted with the report, and no text is left in any table", async () => {
    await report("r", ["v", "w"]);
    await decide("r", "hide", { videos: ["v", "w"] });
    await decide("r", "keep", { now: NOW + 1_000, videos: ["v", "w"] });
    await note("The sound is too low.");
    expect(notesOf("v")).toHaveLength(3);
    expect(tablesWith(REASON)).toEqual(["review_notes"]);
    await eraseDueReports(NOW + 90 * DAY_MS);
    expect(tablesWith(REASON)).toEqual(["review_notes"]);

    await eraseDueReports(NOW + 91 * DAY_MS);
    await deleteOldDecisions(NOW + 91 * DAY_MS);
    expect(notesOf("v")).toEqual(["The sound is too low."]);
    expect(notesOf("w")).toEqual([]);
    for (const text of [TYPED, ANSWERED, REASON, "ann@example.org"]) {
      expect(tablesWith(text), text).toEqual([]);
    }
    for (const table of ["report_messages", "outbox", "uploader_decisions"]) {
      expect(rowsOf(table), table).toBe(0);
    }
    // The report and its decision are kept without their text.
    expect(readReportPage("r")).toMatchObject({ report: { payload: null, decision: "keep" } });
    expect(rowsOf("moderation_log")).toBe(4);
  });

  it("are deleted only for the erased report, even if another report is about the same video", async () => {
    await report("r");
    await report("s");
    await decide("r", "keep");
    await decide("s", "hide", { now: NOW + 1_000 });
    expect(await eraseClosedReport("r", "u")).toMatchObject({ kind: "success" });
    expect(notesOf("v")).toHaveLength(1);
    expect(notesOf("v")[0]).toContain("hidden the video");
  });

  it("are not stored for an erased report, but the uploader sees the decision", async () => {
    await report("r");
    await decide("r", "remove");
    await eraseDueReports(NOW + 91 * DAY_MS);
    expect(tablesWith(REASON)).toEqual([]);
    await decide("r", "restore", { now: NOW + 92 * DAY_MS });
    expect(tablesWith(REASON)).toEqual([]);
    expect(rowsOf("uploader_decisions")).toBe(2);
    await deleteOldDecisions(NOW + 183 * DAY_MS);
    expect(rowsOf("uploader_decisions")).toBe(0);
  });

  it("are kept as the reason for a strike, as stated on the privacy page", async () => {
    await report("r");
    await decide("r", "remove", { isStrike: true });
    await eraseDueReports(NOW + 91 * DAY_MS);
    expect(tablesWith(REASON)).toEqual(["user_strikes"]);
    expect(listStrikes(["up"]).get("up")).toMatchObject([{ reason: REASON }]);
  });
});
