import fs from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { loadReview } from "~/features/library/review/review.server";
import { decideReport, finishDecisions } from "~/features/moderation/reports/decide.server";
import { type ModeratorDecision, timeLeft } from "~/features/moderation/reports/decisions";
import { queueSql, readQueue, readQueueView } from "~/features/moderation/reports/queue.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import {
  addMessage,
  createReport,
  eraseReport,
  moveReport,
  withdrawOpenReport,
} from "~/features/moderation/reports/report-records.server";
import { action, loader } from "~/features/moderation/routes/report-decision";
import { loader as queueLoader } from "~/features/moderation/routes/reports";
import { checkReports } from "~/features/operations/alerts/check-moderation.server";
import { openSession } from "~/features/permissions/session.server";
import { enqueueJobs } from "~/features/processing/queue/enqueue.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { purge } from "~/features/trash/trash.server";
import { hold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { isOfDeletedVideo } from "~/media/files/references.server";
import { listActivities } from "~/platform/activity/activity.server";
import { loader as rootLoader } from "~/root";
import { sqliteHandle, transaction } from "~db/client.server";
import type { ReportKind } from "~db/schema/moderation";
import { addVideo, adminCookie, useAdminSite, video, writeUpload } from "../../admin-requests";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const NOON = Date.parse("2030-01-01T12:00:00.000Z");
const HOUR = 3_600_000;
const DIGEST = "a".repeat(64);

/** Submits a report as a visitor. */
function report(
  id: string,
  more: Partial<{ kind: ReportKind; videos: string[]; at: number }> = {},
) {
  const { kind = "consent", videos = ["v"], at = NOON } = more;
  const payload = {
    name: "Ann",
    email: "",
    where: "/video/v",
    what: "It is me.",
    statements: ["True."],
  };
  return transaction(() => createReport({ id, kind, videos, payload }, at));
}

const versionNow = (id: string) => readReportPage(id)?.version ?? "";
const decide = (
  id: string,
  decision: ModeratorDecision,
  more: { videos?: string[]; version?: string; reason?: string } = {},
) =>
  decideReport(
    id,
    { decision, reason: "Because.", videos: ["v"], version: versionNow(id), ...more },
    "u",
    NOON + HOUR,
  );
const pageOf = (id: string) => readReportPage(id, NOON + HOUR);
const logged = () =>
  sqliteHandle().prepare("SELECT action FROM moderation_log ORDER BY id").pluck().all();

beforeEach(() => {
  writeUpload(site.uploads, "videos/up/1.mp4");
  sqliteHandle().exec(
    "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
  );
  addVideo({ status: "published", uploaded_by: "up", video_url: "/media/videos/up/1.mp4" });
});

describe("a decision on a report", () => {
  it("hides the video immediately and leaves the report open", async () => {
    await report("r");
    expect(await decide("r", "hide")).toMatchObject({ kind: "success" });
    expect(isPublic("v")).toBe(false);
    expect(pageOf("r")).toMatchObject({
      report: { state: "open", decision: null },
      videos: [{ status: "published", held: expect.stringContaining("until a moderator decides") }],
      entries: [{ action: "hide", email: "a@b.c" }],
    });
  });

  it("keeps the video as it was before the report, and records that a moderator has reviewed it", async () => {
    await report("r");
    await transaction(() => hold({ videoId: "v", reason: "report", sourceId: "r" }));
    expect(isPublic("v")).toBe(false);
    await decide("r", "keep");
    expect(isPublic("v")).toBe(true);
    expect(pageOf("r")).toMatchObject({
      report: { state: "closed", decision: "keep" },
      videos: [{ checked: ["consent"] }],
    });
  });

  it("keeps the video hidden while a report of another kind hasn't been reviewed", async () => {
    await report("r");
    await report("s", { kind: "under-age" });
    await report("t");
    await transaction(() => hold({ videoId: "v", reason: "report", sourceId: "r" }));
    await decide("r", "keep");
    expect(isPublic("v")).toBe(false);
    // No matter how often a video is reported for one kind of violation, it is reviewed only once.
    await decide("s", "keep");
    expect(isPublic("v")).toBe(true);
  });

  it("keeps the video hidden while another moderator has hidden it for another report", async () => {
    await report("r");
    await report("s", { kind: "copyright" });
    await decide("s", "hide");
    await decide("r", "keep");
    expect(isPublic("v")).toBe(false);
    await decide("s", "keep");
    expect(isPublic("v")).toBe(true);
  });

  it("moves the video to the trash, blocks it, and can only be undone from the report", async () => {
    sqliteHandle().exec(`INSERT INTO video_digests (video_id, sha256) VALUES ('v', '${DIGEST}')`);
    await report("r");
    await decide("r", "remove");
    expect(video()).toBeUndefined();
    expect(isOfDeletedVideo({ bucket: "videos", path: "up/1.mp4" })).toBe(true);
    const blocked = sqliteHandle().prepare("SELECT sha256 FROM blocked_files").pluck();
    expect(blocked.all()).toEqual([DIGEST]);
    expect(await restoreVideos(["v"], "up")).toMatchObject({ status: 409 });
    expect(pageOf("r")).toMatchObject({
      videos: [{ status: "trash", decision: "remove", choices: ["counter-notice", "restore"] }],
    });
    expect(await decide("r", "keep")).toMatchObject({ status: 422 });
    expect(await decide("r", "restore")).toMatchObject({ kind: "success" });
    expect(isPublic("v")).toBe(true);
    expect(fs.existsSync(`${site.uploads}/videos/up/1.mp4`)).toBe(true);
    expect(blocked.all()).toEqual([]);
    expect(pageOf("r")?.report).toMatchObject({ state: "closed", decision: "restore" });
    expect(logged()).toEqual(["remove", "restore"]);
  });

  it("restores a hidden video as hidden, including one that another report is hiding", async () => {
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    await report("r");
    await decide("r", "remove");
    await decide("r", "restore");
    expect(isPublic("v")).toBe(false);
  });

  it("removes a video that is being converted, and ends its jobs", async () => {
    await transaction(() => enqueueJobs(["v"]));
    const jobs = sqliteHandle().prepare("SELECT count(*) FROM jobs WHERE video_id = 'v'").pluck();
    sqliteHandle().exec("UPDATE jobs SET state = 'running'");
    expect(jobs.get()).not.toBe(0);
    await report("r");
    await decide("r", "remove");
    expect(jobs.get()).toBe(0);
  });

  it("is completed at startup if the process stopped during a removal", async () => {
    await report("r");
    await transaction(() => hold({ videoId: "v", reason: "removed", sourceId: "r" }));
    await finishDecisions();
    expect(video()).toBeUndefined();
    expect(pageOf("r")?.videos[0]?.status).toBe("trash");
  });

  it("sends a question to the reporter, and reopens after a counter-notice", async () => {
    await report("r");
    await decide("r", "ask", { reason: "Which of the two?" });
    expect(pageOf("r")?.report.state).toBe("asked");
    expect(pageOf("r")?.messages).toMatchObject([
      { author: "moderator", text: "Which of the two?" },
    ]);
    expect(loadReview("v")?.notes).toEqual([]);
    await decide("r", "remove");
    expect(await decide("r", "counter-notice")).toMatchObject({ kind: "success" });
    expect(pageOf("r")).toMatchObject({
      report: { state: "open" },
      videos: [{ decision: null, choices: ["remove", "restore"] }],
    });
    // The moderator rejects the counter-notice.
    expect(await decide("r", "remove")).toMatchObject({ kind: "success" });
    expect(pageOf("r")?.report).toMatchObject({ state: "closed", decision: "remove" });
  });

  it("is shown to both sides with its reason, and the reason's digest is logged", async () => {
    await report("r");
    await decide("r", "keep", { reason: "Nothing to be seen." });
    expect(pageOf("r")?.messages).toMatchObject([
      { author: "site", text: "A moderator has reviewed the report and kept the video." },
      { author: "moderator", text: "Nothing to be seen." },
    ]);
    expect(loadReview("v", "up")?.notes).toMatchObject([
      { email: "a@b.c", text: expect.stringContaining("Nothing to be seen.") },
    ]);
    const log = JSON.stringify(sqliteHandle().prepare("SELECT * FROM moderation_log").all());
    expect(log).not.toMatch(/Nothing|Ann|a@b\.c/);
    expect((await listActivities())[0]).toMatchObject({
      action: "report-decide",
      detail: "Keep: A video",
    });
    expect(logged()).toEqual(["keep"]);
  });

  it("is rejected if another moderator decided first, and shows that decision", async () => {
    await report("r");
    const version = versionNow("r");
    const results = await Promise.all([
      decide("r", "keep", { version }),
      decide("r", "remove", { version }),
    ]);
    expect(results[0]).toMatchObject({ kind: "success" });
    expect(results[1]).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/^a@b\.c has kept the video in the meantime/),
      reason: "Because.",
    });
    expect(isPublic("v")).toBe(true);
    expect(logged()).toEqual(["keep"]);
  });

  it("is rejected if the reporter has replied in the meantime", async () => {
    await report("r");
    await decide("r", "ask");
    const version = versionNow("r");
    await transaction(() => moveReport({ id: "r", from: ["asked"], to: "open" }));
    expect(await decide("r", "remove", { version })).toMatchObject({ status: 409 });
    expect(isPublic("v")).toBe(true);
  });

  it("can be made about a video that is in the trash or permanently deleted", async () => {
    await report("r");
    await report("s", { videos: ["never"] });
    await decide("r", "remove");
    await purge(["v"]);
    expect(pageOf("r")?.videos[0]).toMatchObject({ status: "gone", title: "" });
    expect(await decide("r", "restore")).toMatchObject({
      kind: "success",
      description: expect.stringContaining("deleted for good"),
    });
    expect(pageOf("s")?.choices).toEqual(["not-here", "ask"]);
    expect(await decide("s", "remove", { videos: ["never"] })).toMatchObject({
      detail: expect.stringContaining("None of the videos in this report is on this site"),
    });
    expect(await decide("s", "not-here")).toMatchObject({ kind: "success" });
    expect(pageOf("s")?.report).toMatchObject({ state: "closed", decision: "not-here" });
  });

  it("can only close the report or ask a question if the report doesn't have a video", async () => {
    await report("r", { videos: [] });
    expect(await decide("r", "remove", { videos: [] })).toMatchObject({
      status: 422,
      detail: expect.stringContaining("None of the videos in this report is on this site"),
    });
    expect(await decide("r", "not-here", { videos: [] })).toMatchObject({ kind: "success" });
    expect(pageOf("r")?.report).toMatchObject({ state: "closed", decision: "not-here" });
    await report("s");
    expect(await decide("s", "remove", { videos: ["other"] })).toMatchObject({
      detail: "Choose at least one video.",
    });
    expect(await decide("s", "keep", { reason: " " })).toMatchObject({ status: 422 });
    expect(await decide("s", "keep", { reason: "x".repeat(2_001) })).toMatchObject({ status: 422 });
    expect(await decide("s", "not-here")).toMatchObject({
      detail:
        "A video in this report is still on this site. Make a decision about that video first.",
    });
    expect(await decide("s", "restore")).toMatchObject({ detail: "The video was not removed." });
    expect(await decide("nobody", "keep")).toMatchObject({ status: 404 });
  });

  it("applies only to the selected videos in a report", async () => {
    addVideo({ id: "w", title: "Another", status: "published" });
    await report("r", { videos: ["v", "w"] });
    await decide("r", "hide", { videos: ["w"] });
    expect(["v", "w"].map(isPublic)).toEqual([true, false]);
  });
});

describe("a report's page", () => {
  it("shows that the text is encrypted with another secret, and still allows a decision", async () => {
    await report("r");
    const before = process.env.SESSION_SECRET;
    sqliteHandle().exec(
      "UPDATE reports SET payload = substr(payload, 1, length(payload) - 6) || 'AAAAAA'",
    );
    expect(pageOf("r")).toMatchObject({ report: { payload: "unreadable" }, videos: [{ id: "v" }] });
    expect(await decide("r", "keep")).toMatchObject({ kind: "success" });
    process.env.SESSION_SECRET = before;
  });

  it("is kept after the text is deleted", async () => {
    await report("r");
    await decide("r", "remove");
    await transaction(() => eraseReport("r"));
    expect(pageOf("r")).toMatchObject({ report: { payload: null }, videos: [{ status: "trash" }] });
    expect(await decide("r", "restore")).toMatchObject({ kind: "success" });
    expect(isPublic("v")).toBe(true);
  });

  it("lists other reports about the video and its uploader", async () => {
    addVideo({ id: "w", title: "Another", uploaded_by: "up" });
    addVideo({ id: "x", title: "Of somebody else" });
    await report("r");
    await report("same");
    await report("uploader", { videos: ["w"] });
    await report("neither", { videos: ["x"] });
    expect(pageOf("r")?.earlier.map(({ id, isOfVideo }) => [id, isOfVideo])).toEqual([
      ["same", true],
      ["uploader", false],
    ]);
  });

  const open = async (cookie: string, id = "r") =>
    loader({
      request: new Request(`${ORIGIN}/admin/reports/${id}`, { headers: { Cookie: cookie } }),
      params: { id },
      context: {},
    });
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    action({
      request: new Request(`${ORIGIN}/admin/reports/r`, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost", ...headers },
      }),
      params: { id: "r" },
      context: {},
    }).catch((thrown: unknown) => thrown);

  it("is restricted to owners and editors, and to forms from this site", async () => {
    await report("r");
    expect(await open(adminCookie())).toMatchObject({ report: { id: "r" } });
    await expect(open(adminCookie(), "nobody")).rejects.toMatchObject({ status: 404 });
    const uploader = (await openSession("up")).split(";")[0] ?? "";
    await expect(open(uploader)).rejects.toMatchObject({ status: 403 });
    sqliteHandle().exec("UPDATE users SET role = 'editor' WHERE id = 'up'");
    expect(await open(uploader)).toMatchObject({ report: { id: "r" } });
    const fields = { decision: "keep", reason: "Fine.", video: "v", version: versionNow("r") };
    expect(await send(fields, { Origin: "http://evil.example" })).toMatchObject({ status: 403 });
    expect(await send({ ...fields, decision: "burn" })).toMatchObject({ status: 400 });
    expect(await send(fields)).toMatchObject({ status: 302 });
    expect(await send(fields)).toMatchObject({ init: { status: 409 } });
  });
});

describe("the moderation queue", () => {
  it("lists reports by deadline, one page at a time, and marks overdue reports", async () => {
    await report("other", { kind: "other" });
    await report("late", { at: NOON - 50 * HOUR });
    await report("soon");
    const { reports, open } = readQueue({ state: "open" }, NOON);
    expect(open).toBe(3);
    expect(reports.map(({ id, left }) => [id, left.text, left.isOver])).toEqual([
      ["late", "Overdue by 2 hours", true],
      ["soon", "48 hours left", false],
      ["other", "5 days left", false],
    ]);
    expect(readQueue({ state: "open", kind: "other" }, NOON).reports).toHaveLength(1);
    // Changing the clock changes only the wording.
    expect(readQueue({ state: "open" }, NOON + 1_000 * HOUR).reports).toHaveLength(3);
    await decide("late", "keep");
    await decide("soon", "ask");
    expect(readQueue({ state: "closed" }).reports).toMatchObject([
      { id: "late", decision: "keep" },
    ]);
    expect(readQueue({ state: "asked" }).reports).toMatchObject([{ id: "soon" }]);
  });

  it("shows the remaining time in words", () => {
    const left = (ms: number) => timeLeft(new Date(NOON + ms).toISOString(), NOON).text;
    expect([left(59_000), left(HOUR), left(71 * HOUR), left(80 * HOUR), left(-90_000)]).toEqual([
      "0 minutes left",
      "1 hour left",
      "71 hours left",
      "3 days left",
      "Overdue by 1 minute",
    ]);
  });

  it("ignores unknown values in the URL", () => {
    const view = (query: string) => readQueueView(new URLSearchParams(query));
    expect(view("state=x&kind=y&after=z")).toEqual({ state: "open" });
    expect(view("state=closed&kind=other&after=a_b")).toEqual({
      ...{ state: "closed", kind: "other", after: "a_b" },
    });
  });

  it("uses an index to read a page of reports or a single report among 100,000", async () => {
    const sqlite = sqliteHandle();
    sqlite.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO reports (id, kind, state, decision, received_at, due_at, closed_at)
        SELECT 'n' || i, CASE i % 5 WHEN 0 THEN 'copyright' WHEN 1 THEN 'consent' WHEN 2 THEN 'private' ELSE 'other' END,
          CASE i % 3 WHEN 0 THEN 'closed' ELSE 'open' END,
          CASE i % 3 WHEN 0 THEN 'keep' END,
          strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i * 60, 'unixepoch'),
          strftime('%Y-%m-%dT%H:%M:%fZ', 1700172800 + i * 60, 'unixepoch'),
          CASE i % 3 WHEN 0 THEN strftime('%Y-%m-%dT%H:%M:%fZ', 1700100000 + i * 60, 'unixepoch') END
        FROM n;
      INSERT INTO report_videos (report_id, video_id)
        SELECT id, iif(rowid % 100 = 0, 'v', 'gone' || rowid) FROM reports;
      ANALYZE`);
    const views = [
      { state: "open" },
      { state: "asked", kind: "other" },
      { state: "closed" },
      { state: "closed", kind: "copyright" },
      { state: "open", kind: "under-age" },
    ] as const;
    for (const view of views) {
      const { reports, next } = readQueue(view);
      if (next) {
        const ids = readQueue({ ...view, after: next }).reports.map(({ id }) => id);
        expect(ids).toHaveLength(50);
        expect(reports.filter(({ id }) => ids.includes(id))).toEqual([]);
      }
      for (const after of [undefined, "a_b"]) {
        const plan = sqlite
          .prepare(`EXPLAIN QUERY PLAN ${queueSql({ ...view, after })}`)
          .all({ state: view.state, kind: "other", time: "a", id: "b" }) as { detail: string }[];
        expect(plan[0]?.detail).toMatch(/USING INDEX reports_/);
        expect(plan.map(({ detail }) => detail).join()).not.toMatch(
          /TEMP B-TREE|SCAN reports(?! USING INDEX)/,
        );
      }
    }
    expect(readReportPage("n100")?.earlier).toHaveLength(10);
  }, 60_000);

  it("can be opened at its URL", async () => {
    await report("r");
    const request = new Request(`${ORIGIN}/admin/reports?kind=consent`, {
      headers: { Cookie: adminCookie() },
    });
    expect(await queueLoader({ request, params: {}, context: {} })).toMatchObject({
      view: { state: "open", kind: "consent" },
      reports: [{ id: "r", title: "A video" }],
      open: 1,
    });
  });
});

describe("a report's text", () => {
  const erase = async (id: string) => {
    const request = new Request(`${ORIGIN}/admin/reports/${id}`, {
      method: "POST",
      body: new URLSearchParams({ intent: "erase" }),
      headers: { Cookie: await adminCookie(), Origin: ORIGIN },
    });
    const result = await action({ request, params: { id }, context: {} }).catch((thrown) => thrown);
    return result instanceof Response ? result.status : result.init.status;
  };

  it("can be deleted once after the report is closed, with a log entry", async () => {
    await report("asked");
    expect(await erase("asked")).toBe(409);
    await decide("asked", "keep");
    expect(pageOf("asked")?.report.payload).toMatchObject({ what: "It is me." });
    expect(await erase("asked")).toBe(302);
    expect(pageOf("asked")?.report.payload).toBeNull();
    expect(pageOf("asked")?.messages).toEqual([]);
    expect(await erase("asked")).toBe(409);
    expect(await erase("nobody")).toBe(404);
    expect(logged()).toEqual(["keep", "erase"]);
  });
});

describe("a reporter's data", () => {
  const kept = async (url: string) => {
    const request = new Request(ORIGIN + url, { headers: { Cookie: adminCookie() } });
    return (await loader({ request, params: { id: "r" }, context: {} })).reporterData;
  };
  const mailed = (id: string, email: string) =>
    transaction(() => {
      const texts = { name: "Ann", where: "/video/v", what: "It is me.", statements: [] };
      return createReport({ id, kind: "other", videos: ["v"], payload: { ...texts, email } }, NOON);
    });

  it("is shown on the page with its deletion date and, on request, other reports from the same email address", async () => {
    await mailed("r", "ann@example.com");
    for (let n = 0; n < 25; n++) await mailed(`other${n}`, n % 12 === 0 ? "Ann@Example.com " : "");
    await transaction(() => {
      addMessage({ reportId: "r", author: "reporter", text: "More." });
      addMessage({ reportId: "r", author: "moderator", text: "Who?" });
    });
    const plain = await kept("/admin/reports/r");
    expect(plain).toEqual({ until: null, messages: 1, mails: 0, hasAddress: true });
    const { others } = await kept("/admin/reports/r?reporter");
    expect(others?.map(({ id }) => id)).toEqual(["other24", "other12", "other0"]);
    await decide("r", "keep");
    expect((await kept("/admin/reports/r")).until).toBe(
      new Date(NOON + HOUR + 90 * 24 * HOUR).toISOString(),
    );
  });

  it("is removed from other reports and the database file when it is deleted", async () => {
    await mailed("r", "ann@example.com");
    await mailed("other", "ann@example.com");
    await decide("r", "keep");
    await transaction(() => eraseReport("r"));
    expect(await kept("/admin/reports/r?reporter")).toMatchObject({
      messages: 0,
      hasAddress: false,
    });
    expect((await kept("/admin/reports/r?reporter")).others).toBeUndefined();
    const row = sqliteHandle().prepare("SELECT * FROM reports WHERE id = 'r'").get();
    expect(row).toMatchObject({ payload: null, state: "closed", decision: "keep" });
  });

  it("is shown without other reports if the email address is unreadable or missing", async () => {
    await mailed("r", "");
    await mailed("other", "");
    expect(await kept("/admin/reports/r?reporter")).toMatchObject({ hasAddress: false });
    sqliteHandle().exec("UPDATE reports SET payload = 'of another secret' WHERE id = 'other'");
    await mailed("s", "ann@example.com");
    sqliteHandle().exec(
      "UPDATE reports SET payload = (SELECT payload FROM reports WHERE id = 's') WHERE id = 'r'",
    );
    expect((await kept("/admin/reports/r?reporter")).others?.map(({ id }) => id)).toEqual(["s"]);
  });
});

describe("alerts about open reports", () => {
  const alerts = () =>
    sqliteHandle()
      .prepare("SELECT kind, message, resolved_at IS NOT NULL AS isOver FROM alerts ORDER BY rowid")
      .all() as { kind: string; message: string; isOver: number }[];
  const open = () =>
    alerts()
      .filter(({ isOver }) => !isOver)
      .map(({ kind }) => kind);
  const rootData = async (cookie?: string) => {
    const request = new Request(`${ORIGIN}/admin`, { headers: cookie ? { Cookie: cookie } : {} });
    const result = await rootLoader({ request, params: {}, context: {} } as never);
    return (result as { data: { reports?: { open: number; overdue: number } } }).data;
  };
  // The video is hidden, as it would be after an urgent report, because a video that is still public causes a separate
  // alert.
  beforeEach(() => void sqliteHandle().exec("UPDATE videos SET status = 'hidden'"));

  it("are raised once each for reports that are urgent, due within 12 hours, or overdue", async () => {
    await report("r");
    await report("s", { kind: "other" });
    await checkReports(NOON);
    await checkReports(NOON + HOUR);
    expect(alerts()).toEqual([
      {
        kind: "reports-urgent",
        message:
          "1 report about missing consent or possible minors is due by 2030-01-03 12:00 UTC.",
        isOver: 0,
      },
    ]);
    await checkReports(NOON + 35 * HOUR);
    expect(open()).toEqual(["reports-urgent"]);
    await checkReports(NOON + 36 * HOUR);
    await checkReports(NOON + 40 * HOUR);
    expect(open()).toEqual(["reports-urgent", "reports-due"]);
    expect(alerts().at(-1)?.message).toBe("1 report is due by 2030-01-03 12:00 UTC.");
    await checkReports(NOON + 48 * HOUR);
    expect(open()).toEqual(["reports-urgent", "reports-overdue"]);
    expect(alerts().at(-1)?.message).toBe("1 report has been overdue since 2030-01-03 12:00 UTC.");
    await decide("r", "keep");
    await checkReports(NOON + 49 * HOUR);
    expect(open()).toEqual([]);
    expect(JSON.stringify(alerts())).not.toMatch(/Ann|It is me/);
  });

  it("are raised again for later reports, but only every 15 minutes during a flood", async () => {
    for (const [at, id] of ["a", "b", "c"].entries()) await report(id, { at: NOON + at });
    await checkReports(NOON + 10);
    await report("d", { at: NOON + 60_000 });
    await checkReports(NOON + 5 * 60_000);
    expect(alerts()).toHaveLength(1);
    await checkReports(NOON + 16 * 60_000);
    expect(alerts().map(({ message }) => message.slice(0, 9))).toEqual(["3 reports", "1 report "]);
  });

  it("are raised again after the reporter has replied, with the same deadline", async () => {
    await report("r");
    await checkReports(NOON);
    await decide("r", "ask");
    await checkReports(NOON + HOUR);
    expect(open()).toEqual([]);
    await transaction(() => moveReport({ id: "r", from: ["asked"], to: "open" }));
    await checkReports(NOON + 2 * HOUR);
    await checkReports(NOON + 3 * HOUR);
    expect(alerts().map(({ kind }) => kind)).toEqual(["reports-urgent", "reports-urgent"]);
    expect(open()).toEqual(["reports-urgent"]);
  });

  it("are raised again after the reporter withdraws a report about which a question was asked", async () => {
    await report("r");
    await checkReports(NOON);
    await decide("r", "ask");
    await transaction(() => withdrawOpenReport("r"));
    await checkReports(NOON + HOUR);
    expect(open()).toEqual(["reports-urgent"]);
    expect(alerts()).toHaveLength(2);
  });

  it("are raised again for a report that is due sooner than the report in an earlier alert", async () => {
    await report("r");
    await checkReports(NOON + 36 * HOUR);
    await report("s", { kind: "copyright", at: NOON + 37 * HOUR });
    sqliteHandle()
      .prepare("UPDATE reports SET due_at = ? WHERE id = 's'")
      .run(new Date(NOON + 39 * HOUR).toISOString());
    await checkReports(NOON + 37 * HOUR);
    const due = alerts().filter(({ kind }) => kind === "reports-due");
    expect(due.map(({ message }) => message)).toEqual([
      "1 report is due by 2030-01-03 12:00 UTC.",
      "1 report is due by 2030-01-03 03:00 UTC.",
    ]);
    await checkReports(NOON + 39 * HOUR);
    expect(open()).toEqual(["reports-urgent", "reports-due", "reports-overdue"]);
  });

  it("are resolved once their reports are decided, regardless of the reports in other alerts", async () => {
    await report("r");
    await checkReports(NOON);
    await report("s", { kind: "under-age", at: NOON + 1 });
    await checkReports(NOON + HOUR);
    await decide("s", "keep");
    await checkReports(NOON + 2 * HOUR);
    expect(alerts().map(({ isOver }) => isOver)).toEqual([0, 1]);
  });

  it("are counted in the navigation only for users who can decide reports", async () => {
    await report("r", { at: Date.now() });
    await report("s", { at: Date.now() - 49 * HOUR });
    expect(await rootData(await adminCookie())).toMatchObject({ reports: { open: 2, overdue: 1 } });
    const uploader = (await openSession("up")).split(";")[0] ?? "";
    expect(await rootData(uploader)).not.toHaveProperty("reports");
    expect(await rootData()).not.toHaveProperty("reports");
  });
});

it("rejects a decision from an account that lost the permission while the form was being received", async () => {
  await report("r");
  sqliteHandle().exec("UPDATE users SET role = 'uploader' WHERE id = 'u'");
  expect(await decide("r", "hide")).toMatchObject({ status: 403 });
  expect([isPublic("v"), pageOf("r")?.report.state]).toEqual([true, "open"]);
});

describe("a removal", () => {
  it("hides copies of the file immediately, until someone has reviewed them", async () => {
    addVideo({ id: "copy", status: "published" });
    addVideo({ id: "other", status: "published" });
    const digest = sqliteHandle().prepare(
      "INSERT INTO video_digests (video_id, sha256) VALUES (?, ?)",
    );
    for (const id of ["v", "copy"]) digest.run(id, DIGEST);
    digest.run("other", "b".repeat(64));
    await report("r");
    await decide("r", "remove");
    expect([isPublic("copy"), isPublic("other")]).toEqual([false, true]);
    expect(sqliteHandle().prepare("SELECT video_id, reason FROM video_holds").all()).toContainEqual(
      {
        video_id: "copy",
        reason: "block-list",
      },
    );
  });

  it("is recorded with a message if the video can't be moved to the trash, and completed at the next start", async () => {
    await report("r");
    sqliteHandle().exec(
      "CREATE TRIGGER full BEFORE INSERT ON deleted_videos BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    const result = await decide("r", "remove");
    vi.mocked(console.error).mockClear();
    expect(result).toMatchObject({ description: expect.stringContaining("couldn’t be moved") });
    expect([video("v")?.title, isPublic("v")]).toEqual(["A video", false]);
    sqliteHandle().exec("DROP TRIGGER full");
    await finishDecisions();
    expect(video("v")).toBeUndefined();
  });
});
