import { beforeEach, describe, expect, it } from "vitest";
import { action as sendReport } from "~/features/moderation/routes/report";
import { checkReports } from "~/features/operations/alerts/check-moderation.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, useAdminSite } from "../../admin-requests";
import { addKeptReport } from "../../reported-videos";

/**
 * Anyone can send reports, so REPORT_HIDE_LIMIT limits how many videos reports can hide before a moderator reads them.
 */

useAdminSite();
const ORIGIN = "http://localhost";
const VIDEOS = Array.from({ length: 9 }, (_, at) => `v${at}`);
let forms = 0;

function set(values: Record<string, string>): void {
  Object.assign(process.env, values);
  forgetSettings();
}

/** Submits the public form from an IP address. Returns the status of the response. */
async function report(videoId: string, from: string, kind = "under-age"): Promise<number> {
  forms += 1;
  const fields = {
    ...{ form: `form ${forms}`, name: "Ann" },
    where: `${ORIGIN}/video/${videoId}`,
    anyway: `${ORIGIN}/video/${videoId}`,
    ...{ what: "This should not be here.", "statement-0": "1", "statement-1": "1" },
  };
  const request = new Request(`${ORIGIN}/report?kind=${kind}`, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "localhost", "X-Forwarded-For": from },
    body: new URLSearchParams(fields),
  });
  const response = await sendReport({ request, params: {}, context: {} }).catch(
    (thrown: unknown) => thrown,
  );
  const { status, init } = response as Response & { init?: ResponseInit };
  return init?.status ?? status;
}

const publicOnes = () => VIDEOS.filter(isPublic);
const alerts = () =>
  sqliteHandle().prepare("SELECT kind, message FROM alerts WHERE resolved_at IS NULL").all() as {
    kind: string;
    message: string;
  }[];
const limitAlerts = () => alerts().filter(({ kind }) => kind === "reports-limit");

beforeEach(() => {
  set({ PUBLIC_URL: ORIGIN, REPORT_HIDE_LIMIT: "3/h,2%/d" });
  for (const id of VIDEOS) addVideo({ id, title: `Video ${id}`, status: "published" });
});

describe("reports about possible minors", () => {
  it("hide three videos an hour, after which an alert reports how many are still public", async () => {
    for (const [at, id] of VIDEOS.slice(0, 5).entries()) await report(id, `10.1.${at}.1`);
    expect(publicOnes()).toEqual(["v3", "v4", "v5", "v6", "v7", "v8"]);
    await checkReports(Date.now());
    expect(limitAlerts()).toEqual([
      {
        kind: "reports-limit",
        message:
          "2 videos reported for missing consent or possible minors are still public because REPORT_HIDE_LIMIT was reached.",
      },
    ]);
    sqliteHandle().exec("UPDATE reports SET state = 'closed'");
    await checkReports(Date.now());
    expect(limitAlerts()).toEqual([]);
  });

  it("can hide up to five videos a day, even if that is more than two percent of all videos", async () => {
    set({ REPORT_HIDE_LIMIT: "100/h,2%/d" });
    for (const [at, id] of VIDEOS.entries()) await report(id, `10.1.${at}.1`);
    expect(publicOnes()).toEqual(["v5", "v6", "v7", "v8"]);
  });

  it("hide a video beyond the limit if it is also reported from another network", async () => {
    for (const [at, id] of VIDEOS.slice(0, 4).entries()) await report(id, `10.1.${at}.1`);
    await report("v3", "10.1.3.77");
    expect(isPublic("v3")).toBe(true);
    await report("v3", "10.2.0.1", "copyright");
    expect(isPublic("v3")).toBe(true);
    await report("v3", "10.2.0.1", "consent");
    expect(isPublic("v3")).toBe(false);
    // Each of the three urgent reports has a hold.
    expect(
      sqliteHandle()
        .prepare("SELECT count(*) FROM video_holds WHERE video_id = 'v3' AND reason = 'report'")
        .pluck()
        .get(),
    ).toBe(3);
  });

  it("don't count against the limit if the video is already hidden", async () => {
    for (let at = 0; at < 6; at++) await report("v0", `10.1.${at}.1`);
    await report("v1", "10.3.0.1");
    expect(publicOnes()).toEqual(VIDEOS.slice(2));
  });

  it("don't hide videos that a moderator kept after a report of the same kind", async () => {
    addKeptReport(sqliteHandle(), "v0", "under-age");
    await report("v0", "10.1.0.1");
    expect(isPublic("v0")).toBe(true);
    await checkReports(Date.now());
    expect(limitAlerts()).toEqual([]);
    await report("v0", "10.2.0.1", "consent");
    expect(isPublic("v0")).toBe(false);
  });

  it("trigger a question only after four times as many reports from one /48 as from one /64", async () => {
    const statuses = [];
    for (let at = 0; at < 21; at++) {
      statuses.push(await report(`v${at % 9}`, `2001:db8:7:${at.toString(16)}::1`, "other"));
    }
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(303));
    expect(statuses[20]).toBe(422);
    expect(await report("v0", "2001:db8:8::1", "other")).toBe(303);
  });

  it("don't leave any trace of the sender's network in the database", async () => {
    await report("v0", "198.51.100.77");
    const tables = sqliteHandle()
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%fts5%'")
      .pluck()
      .all() as string[];
    const rows = tables.map((name) => sqliteHandle().prepare(`SELECT * FROM "${name}"`).all());
    expect(tables).toContain("reports");
    expect(JSON.stringify(rows)).toContain("v0");
    expect(JSON.stringify(rows)).not.toContain("198.51.100");
  });
});

describe("REPORT_HIDE_LIMIT", () => {
  it.each(["20", "20/h", "2%/d", "20/h,200", "x/h,2%/d"])("rejects %s", async (value) => {
    const { settings } = await import("~/platform/settings.server");
    set({ REPORT_HIDE_LIMIT: value });
    expect(() => settings()).toThrow(/REPORT_HIDE_LIMIT must be a number of videos per hour/);
    set({ REPORT_HIDE_LIMIT: "20/h,2%/d" });
  });
});
