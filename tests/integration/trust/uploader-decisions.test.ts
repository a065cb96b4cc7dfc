import { beforeEach, describe, expect, it } from "vitest";
import { loader as accountLoader } from "~/features/accounts/routes/account";
import { giveStrike, listStrikes } from "~/features/accounts/users/strikes.server";
import { decideReport } from "~/features/moderation/reports/decide.server";
import type { ModeratorDecision } from "~/features/moderation/reports/decisions";
import { eraseDueReports } from "~/features/moderation/reports/report-mails.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import { createReport, eraseReport } from "~/features/moderation/reports/report-records.server";
import {
  deleteOldDecisions,
  listUploaderDecisions,
} from "~/features/moderation/reports/uploader-decisions.server";
import { action } from "~/features/moderation/routes/report-decision";
import { openSession } from "~/features/permissions/session.server";
import { purge } from "~/features/trash/trash.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, adminCookie, useAdminSite, video } from "../../admin-requests";

useAdminSite();
const ORIGIN = "http://localhost";
const DAY_MS = 24 * 3_600_000;
const NOW = Date.now();

function report(id: string, videos = ["v"]) {
  const payload = {
    name: "Ann",
    email: "",
    where: "/video/v",
    what: "It is me.",
    statements: [],
  };
  return transaction(() => createReport({ id, kind: "copyright", videos, payload }, NOW));
}

const decide = (
  id: string,
  decision: ModeratorDecision,
  more: { isStrike?: boolean; reason?: string; videos?: string[] } = {},
) => {
  const version = readReportPage(id)?.version ?? "";
  return decideReport(
    id,
    { decision, reason: "Because.", videos: ["v"], version, ...more },
    "u",
    NOW,
  );
};
const reasonsOf = (userId: string) =>
  (listStrikes([userId]).get(userId) ?? []).map(({ reason }) => reason);
const isIn = (userId: string) =>
  sqliteHandle()
    .prepare("SELECT deactivated_at IS NULL FROM users WHERE id = ?")
    .pluck()
    .get(userId);

beforeEach(() => {
  sqliteHandle().exec(
    `INSERT INTO users (id, email, password_hash, role) VALUES
       ('up', 'up@b.c', 'x', 'uploader'), ('other', 'other@b.c', 'x', 'uploader')`,
  );
  addVideo({ title: "Their video", status: "published", uploaded_by: "up" });
});

describe("a strike given with a decision", () => {
  it("is given with a removal and its reason, and is shown with the decision", async () => {
    await report("r");
    expect(readReportPage("r")?.strikeable).toEqual([
      { id: "up", email: "up@b.c", strikes: 0, isLast: false },
    ]);
    expect(await decide("r", "remove", { isStrike: true })).toMatchObject({
      description: "A moderator has removed the video. up@b.c has 1 strike.",
    });
    expect(video()).toBeUndefined();
    expect(reasonsOf("up")).toEqual(["Because."]);
    const log = sqliteHandle().prepare("SELECT action FROM moderation_log ORDER BY id").pluck();
    expect(log.all()).toEqual(["remove", "strike"]);
  });

  it("blocks the account if it is the third strike, and the page warns about this in advance", async () => {
    for (const reason of ["One", "Two"]) await giveStrike("up", reason, "u");
    await report("r");
    expect(readReportPage("r")?.strikeable).toMatchObject([{ strikes: 2, isLast: true }]);
    expect(await decide("r", "remove", { isStrike: true })).toMatchObject({
      description: expect.stringContaining("up@b.c has 3 strikes. The account is now blocked."),
    });
    expect(isIn("up")).toBe(0);
  });

  it("is given once to each uploader, and never to an editor", async () => {
    addVideo({ id: "w", uploaded_by: "up" });
    addVideo({ id: "x", uploaded_by: "other" });
    addVideo({ id: "y", uploaded_by: "u" });
    const videos = ["v", "w", "x", "y"];
    await report("r", videos);
    await decide("r", "remove", { isStrike: true, videos });
    expect([reasonsOf("up"), reasonsOf("other"), reasonsOf("u")]).toEqual([
      ["Because."],
      ["Because."],
      [],
    ]);
  });

  it("is rejected with any other decision, and for users who can't be given one, and the report stays undecided", async () => {
    await report("r");
    expect(await decide("r", "keep", { isStrike: true })).toMatchObject({
      status: 422,
      detail:
        "A strike is only possible with a removal. Choose Remove, or clear the strike checkbox.",
      reason: "Because.",
      isStrike: true,
    });
    sqliteHandle().exec("UPDATE videos SET uploaded_by = 'u'");
    expect(readReportPage("r")?.strikeable).toEqual([]);
    expect(await decide("r", "remove", { isStrike: true })).toMatchObject({
      status: 422,
      detail: "None of these videos has an uploader who can get a strike.",
    });
    expect(video()).toBeDefined();
    expect(listUploaderDecisions("up")).toEqual([]);
  });

  it("has its reason shortened if it is too long, and is given only if the form requests it", async () => {
    await report("r");
    const send = async (fields: Record<string, string>) => {
      const version = readReportPage("r")?.version ?? "";
      const body = new URLSearchParams({ video: "v", version, decision: "remove", ...fields });
      const headers = { Cookie: adminCookie(), Origin: ORIGIN };
      const request = new Request(`${ORIGIN}/admin/reports/r`, { method: "POST", body, headers });
      return action({ request, params: { id: "r" }, context: {} }).catch((thrown) => thrown);
    };
    const reason = `${"x".repeat(700)} end`;
    expect(((await send({ reason, strike: "1" })) as Response).status).toBe(302);
    expect(reasonsOf("up")).toEqual([`${"x".repeat(499)}…`]);
    expect(listUploaderDecisions("up")[0]?.text?.reason).toBe(reason);
  });
});

describe("decisions shown to uploaders", () => {
  it("include the reason and title, even if the video is permanently deleted", async () => {
    await report("r");
    await decide("r", "hide", { reason: "First we look." });
    expect(listUploaderDecisions("up")).toMatchObject([{ decision: "hide", videoId: "v" }]);
    await decide("r", "remove", { reason: "It is <b>hers</b>." });
    await purge(["v"]);
    const cookie = (await openSession("up")).split(";")[0] ?? "";
    const request = new Request(`${ORIGIN}/admin/account`, { headers: { Cookie: cookie } });
    const { decisions } = await accountLoader({ request, params: {}, context: {} });
    expect(decisions).toMatchObject([
      {
        decision: "remove",
        videoId: null,
        text: { title: "Their video", reason: "It is <b>hers</b>." },
      },
      { decision: "hide", videoId: null, text: { title: "Their video", reason: "First we look." } },
    ]);
    expect(listUploaderDecisions("other")).toEqual([]);
  });

  it("don't include questions to the reporter, or videos without an uploader", async () => {
    addVideo({ id: "w", uploaded_by: "of another program" });
    addVideo({ id: "x", uploaded_by: null });
    await report("r", ["v", "w", "x"]);
    await decide("r", "ask");
    await decide("r", "keep", { videos: ["w", "x"] });
    expect(sqliteHandle().prepare("SELECT count(*) FROM uploader_decisions").pluck().get()).toBe(0);
  });

  it("are encrypted, and are reported as unreadable if they can't be decrypted", async () => {
    await report("r");
    await decide("r", "keep", { reason: "A secret reason" });
    const stored = JSON.stringify(sqliteHandle().prepare("SELECT * FROM uploader_decisions").all());
    expect(stored).not.toContain("secret");
    expect(stored).not.toContain("Their video");
    sqliteHandle().exec("UPDATE uploader_decisions SET payload = 'of another secret'");
    expect(listUploaderDecisions("up")).toMatchObject([{ decision: "keep", text: undefined }]);
  });

  it("are kept when the report's text is erased, and are deleted after REPORT_KEEP", async () => {
    await report("r");
    await decide("r", "remove");
    await transaction(() => eraseReport("r", NOW));
    expect(await deleteOldDecisions(NOW + 89 * DAY_MS)).toBe(0);
    expect(listUploaderDecisions("up")).toHaveLength(1);
    expect(await deleteOldDecisions(NOW + 91 * DAY_MS)).toBe(1);
    expect(listUploaderDecisions("up")).toEqual([]);
  });

  it("are kept while the report is open", async () => {
    await report("r");
    await decide("r", "hide");
    await eraseDueReports(NOW + 200 * DAY_MS);
    expect(await deleteOldDecisions(NOW + 200 * DAY_MS)).toBe(0);
    expect(listUploaderDecisions("up")).toHaveLength(1);
  });
});
