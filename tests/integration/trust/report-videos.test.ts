import { beforeEach, describe, expect, it } from "vitest";
import { activateReplacement } from "~/features/library/files/activate-replacement.server";
import { decideReport, finishDecisions } from "~/features/moderation/reports/decide.server";
import type { ModeratorDecision } from "~/features/moderation/reports/decisions";
import {
  addVideosToReport,
  removeVideoFromReport,
} from "~/features/moderation/reports/report-forms.server";
import { hideChangedVideo, hideReported } from "~/features/moderation/reports/report-holds.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import {
  createReport,
  eraseReport,
  readMessages,
} from "~/features/moderation/reports/report-records.server";
import { recordVideoDecision } from "~/features/moderation/reports/report-videos.server";
import { performStatus, readStatusPage } from "~/features/moderation/reports/status-page.server";
import { statusToken } from "~/features/moderation/reports/status-token.server";
import { action } from "~/features/moderation/routes/report-decision";
import { recordFileChange } from "~/features/trash/evidence.server";
import { removeVideos } from "~/features/trash/remove.server";
import { purge } from "~/features/trash/trash.server";
import { hold, holdsOf, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import type { ReportKind } from "~db/schema/moderation";
import { addVideo, adminCookie, useAdminSite } from "../../admin-requests";

/** Tests reports about several videos. Each video has a separate decision, and moderators can correct the list. */

useAdminSite();
const ORIGIN = "http://localhost";
const ID = "a-report-with-20-ids--";

beforeEach(() => {
  for (const id of ["v", "w"]) addVideo({ id, title: `Video ${id}`, status: "published" });
});

async function report(kind: ReportKind, videos: string[], id = ID): Promise<void> {
  const payload = { name: "", email: "", where: "", what: "It is wrong.", statements: [] };
  await transaction(() => {
    createReport({ id, kind, videos, payload });
    appendToLog({ action: "received", reportId: id });
    if (kind === "under-age") {
      for (const videoId of videos) hold({ videoId, reason: "report", sourceId: id });
    }
  });
}

function withdrawal(): FormData {
  const form = new FormData();
  form.set("intent", "withdraw");
  return form;
}

const pageOf = (id = ID) => readReportPage(id);
const stateOf = (id = ID) => {
  const { state, decision } = pageOf(id)?.report ?? {};
  return [state, decision];
};
const decisions = () => pageOf()?.videos.map(({ id, decision }) => [id, decision]);
const decide = (decision: ModeratorDecision, videos: string[], id = ID) =>
  decideReport(
    id,
    { decision, reason: "Because.", videos, version: pageOf(id)?.version ?? "" },
    "u",
  );

async function send(fields: Record<string, string>): Promise<number> {
  const request = new Request(`${ORIGIN}/admin/reports/${ID}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" },
  });
  const response = await action({ request, params: { id: ID }, context: {} }).catch(
    (thrown: unknown) => thrown,
  );
  return response instanceof Response
    ? response.status
    : ((response as { init: ResponseInit }).init.status ?? 0);
}

describe("a report about two videos", () => {
  it("is closed once each has a decision, and informs the reporter about both", async () => {
    await report("under-age", ["v", "w"]);
    await decide("remove", ["v"]);
    expect(stateOf()).toEqual(["open", null]);
    expect(decisions()).toEqual([
      ["v", "remove"],
      ["w", null],
    ]);
    // Videos without a decision stay on hold.
    expect(isPublic("w")).toBe(false);
    await decide("keep", ["w"]);
    expect(stateOf()).toEqual(["closed", "remove"]);
    expect(isPublic("w")).toBe(true);
    const site = readMessages(ID).filter(({ author }) => author === "site");
    expect(site.map(({ text }) => text)).toEqual([
      "A moderator has removed 1 of 2 videos.",
      "A moderator has reviewed the report and kept 1 of 2 videos.",
    ]);
    expect(readStatusPage(statusToken(ID))).toMatchObject({
      videos: [
        { id: "v", decision: "remove" },
        { id: "w", decision: "keep" },
      ],
    });
  });

  it("can be closed even if one of the videos was permanently deleted", async () => {
    await report("copyright", ["v", "gone"]);
    expect(pageOf()?.videos.map(({ choices }) => choices)).toEqual([
      ["hide", "keep", "remove"],
      [],
    ]);
    expect(await decide("keep", ["v", "gone"])).toMatchObject({
      status: 422,
      detail: "The video is no longer on this site.",
    });
    await decide("keep", ["v"]);
    expect(stateOf()).toEqual(["closed", "keep"]);
  });

  it("can be resolved even if one of its videos was removed because of another report", async () => {
    await report("copyright", ["v"], "first");
    await report("copyright", ["v", "w"]);
    await decide("remove", ["v"], "first");
    expect(pageOf()?.videos.map(({ choices }) => choices)).toEqual([
      ["keep", "remove"],
      ["hide", "keep", "remove"],
    ]);
    expect(await decide("hide", ["v", "w"])).toMatchObject({
      status: 422,
      detail: "The video was removed because of another report.",
    });
    await decide("remove", ["v", "w"]);
    expect(stateOf()).toEqual(["closed", "remove"]);
    await decide("restore", ["v"], "first");
    // A video is restored only once every report that removed it restores it.
    expect(isPublic("v")).toBe(false);
    await decide("restore", ["v"]);
    expect(isPublic("v")).toBe(true);
  });

  it("can restore each video after the report's text was deleted", async () => {
    await report("under-age", ["v", "w"]);
    await decide("remove", ["v", "w"]);
    await transaction(() => eraseReport(ID));
    await decide("counter-notice", ["w"]);
    expect(stateOf()).toEqual(["open", "remove"]);
    await decide("restore", ["w"]);
    expect(stateOf()).toEqual(["closed", "remove"]);
    await decide("restore", ["v"]);
    expect(stateOf()).toEqual(["closed", "restore"]);
    expect(["v", "w"].map(isPublic)).toEqual([true, true]);
  });

  it("leaves a video removed if the reporter withdraws the report after being asked a question", async () => {
    await report("copyright", ["v"]);
    await decide("remove", ["v"]);
    expect(pageOf()?.choices).toEqual(["restore", "counter-notice", "ask"]);
    await decide("ask", []);
    expect(pageOf()?.choices).toEqual(["remove", "restore", "ask"]);
    await performStatus(statusToken(ID), withdrawal());
    // Withdrawing the report doesn't undo the removal.
    expect(stateOf()).toEqual(["closed", "remove"]);
  });

  it("finishes restoring a video at startup if the site was killed while restoring it", async () => {
    await report("copyright", ["v", "w"]);
    await decide("remove", ["v", "w"]);
    await transaction(() => {
      releaseHold({ videoId: "v", reason: "removed", sourceId: ID });
      recordVideoDecision({ reportId: ID, videoId: "v" }, "restore", Date.now() + 1_000);
    });
    await finishDecisions();
    expect(["v", "w"].map(isPublic)).toEqual([true, false]);
    // A user has deleted the video in the meantime, and the report must not undo that.
    await removeVideos(["v"], "u");
    sqliteHandle().exec("UPDATE deleted_videos SET deleted_at = '2999-01-01'");
    await finishDecisions();
    expect(isPublic("v")).toBe(false);
  });

  it("shows which videos have changed since the decision, and requires another review", async () => {
    await report("consent", ["v", "w"]);
    await decide("keep", ["v", "w"]);
    await transaction(() => recordFileChange(["w"], Date.now() + 1_000));
    expect(pageOf()?.videos).toMatchObject([
      { fileChangedAt: null, checked: ["consent"] },
      { fileChangedAt: expect.any(String), checked: [] },
    ]);
  });

  it("shows that a video was permanently deleted", async () => {
    await report("other", ["v"]);
    await decide("keep", ["v"]);
    sqliteHandle().exec(
      "INSERT INTO deleted_videos (id, title, row, deleted_at) VALUES ('x', 'X', '{}', '2026-01-01')",
    );
    await report("other", ["x"], "of x");
    await decide("keep", ["x"], "of x");
    await purge(["x"]);
    expect(pageOf("of x")?.videos).toMatchObject([{ status: "gone", checked: [] }]);
  });
});

describe("an urgent report received after a moderator kept the video", () => {
  beforeEach(async () => {
    await report("under-age", ["v"]);
    await decide("keep", ["v"]);
    await transaction(() => receive("later"));
    expect(isPublic("v")).toBe(true);
  });

  function receive(id: string): void {
    const payload = { name: "", email: "", where: "", what: "It is wrong.", statements: [] };
    createReport({ id, kind: "under-age", videos: ["v"], payload });
    hideReported({ reportId: id, kind: "under-age", network: "192.0.2" }, ["v"]);
  }

  const heldBy = () => sourcesOf("v", "report");

  it("hides the video once it has another file that wasn't reviewed", async () => {
    sqliteHandle().exec(
      `INSERT INTO video_files (id, video_id, state, user_id, video_url, replaced_at)
       VALUES ('n', 'v', 'earlier', 'u', '/media/videos/u/2.mp4', '2026-01-01T00:00:00.000Z')`,
    );
    // The change must not happen in the same millisecond as the decision.
    await new Promise((next) => setTimeout(next, 2));
    expect(await activateReplacement("n", "u")).toBe("done");
    expect(heldBy()).toEqual(["later"]);
    await decide("keep", ["v"], "later");
    expect(isPublic("v")).toBe(true);
  });

  it("leaves the video public if REPORT_HIDE_LIMIT is reached", async () => {
    process.env.REPORT_HIDE_LIMIT = "0/h,0%/d";
    forgetSettings();
    await transaction(() => {
      recordFileChange(["v"], Date.now() + 1_000);
      hideChangedVideo("v");
    });
    delete process.env.REPORT_HIDE_LIMIT;
    forgetSettings();
    expect(heldBy()).toEqual([]);
    expect(pageOf("later")?.entries.at(-1)?.action).toBe("hide-limit");
  });

  it("hides the video once the earlier report no longer includes it", async () => {
    await removeVideoFromReport(ID, "v", "u");
    expect(heldBy()).toEqual(["later"]);
  });
});

describe("the list of reported videos", () => {
  it("includes a video added by a moderator, which goes on hold like a reported video", async () => {
    await report("under-age", []);
    expect(pageOf()?.choices).toEqual(["not-here", "ask"]);
    expect(await send({ intent: "add-video", address: `${ORIGIN}/video/v?t=3` })).toBe(302);
    expect(isPublic("v")).toBe(false);
    expect(pageOf()?.choices).toEqual(["hide", "keep", "remove", "ask"]);
    // Adding the same video twice has no effect.
    expect(await send({ intent: "add-video", address: "v" })).toBe(302);
    expect(decisions()).toEqual([["v", null]]);
    await decide("keep", ["v"]);
    expect(stateOf()).toEqual(["closed", "keep"]);
    expect(isPublic("v")).toBe(true);
  });

  it("reopens a closed report if another video is added", async () => {
    await report("under-age", ["v"]);
    await decide("keep", ["v"]);
    await addVideosToReport(ID, "w", "u");
    expect(stateOf()[0]).toBe("open");
    expect(["v", "w"].map(isPublic)).toEqual([true, false]);
  });

  it("includes a video without putting it on hold if it was already reviewed or the report doesn't hide videos", async () => {
    await report("copyright", []);
    await addVideosToReport(ID, "v", "u");
    expect(isPublic("v")).toBe(true);
    process.env.REPORT_HIDE = "off";
    forgetSettings();
    await report("under-age", [], "off");
    await addVideosToReport("off", "v", "u");
    expect(isPublic("v")).toBe(true);
    process.env.REPORT_HIDE = "on";
    forgetSettings();
    await decide("keep", ["v"], "off");
    await report("under-age", [], "on");
    await addVideosToReport("on", "v", "u");
    expect(isPublic("v")).toBe(true);
  });

  it("rejects an unknown URL", async () => {
    await report("other", []);
    expect(await addVideosToReport(ID, "/video/nowhere", "u")).toMatchObject({
      status: 422,
      detail: "There is no video with the ID nowhere in the catalogue or the trash.",
    });
    expect(await addVideosToReport(ID, " ", "u")).toMatchObject({ status: 422 });
    expect(await addVideosToReport("no report", "v", "u")).toMatchObject({ status: 404 });
    expect(decisions()).toEqual([]);
  });

  it("releases only its report's hold on a video that is removed from the list", async () => {
    await report("under-age", ["v", "w"]);
    await report("under-age", ["w"], "other");
    await decide("keep", ["v"]);
    expect(await send({ intent: "take-out-video", video: "w" })).toBe(302);
    expect(stateOf()).toEqual(["closed", "keep"]);
    expect(holdsOf(["w"]).get("w")).toEqual(["report"]);
    expect(await send({ intent: "take-out-video", video: "w" })).toBe(404);
    await decide("keep", ["w"], "other");
    expect(isPublic("w")).toBe(true);
  });

  it("requires restoring a removed video before removing it from the list", async () => {
    await report("other", ["v"]);
    await decide("remove", ["v"]);
    expect(await removeVideoFromReport(ID, "v", "u")).toMatchObject({ status: 409 });
    await decide("restore", ["v"]);
    expect(await removeVideoFromReport(ID, "v", "u")).toMatchObject({ kind: "success" });
    expect(decisions()).toEqual([]);
  });

  it("rejects a decision made on an outdated page", async () => {
    await report("other", ["v"]);
    const version = pageOf()?.version ?? "";
    await addVideosToReport(ID, "w", "u");
    const late = { decision: "keep", reason: "Because.", videos: ["v"], version } as const;
    expect(await decideReport(ID, late, "u")).toMatchObject({ status: 409 });
  });
});
