import fs from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { refusalsOf } from "~/features/consent/validity.server";
import { loadReview } from "~/features/library/review/review.server";
import { action as review } from "~/features/library/routes/review";
import type { BlockListPage } from "~/features/moderation/block-list/block-list-page.server";
import { loader as blockList } from "~/features/moderation/routes/block-list";
import { openSession } from "~/features/permissions/session.server";
import { holdUncompared } from "~/features/processing/comparison/block-list-matches.server";
import { releaseCompared, uncomparedOf } from "~/features/processing/comparison/compared.server";
import { hold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { ffmpegAvailable, forgetFfmpeg } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  expectFailure,
  expectSuccessOf,
  page,
  useAdminSite,
} from "../../admin-requests";
import { addToLibrary, diskPath, jobStates, videoRow, workUntilIdle } from "../../encode-library";
import { makeClip } from "../../media-clips";

/** Tests videos that stay on hold because their comparison with the block list failed permanently. */

const site = useAdminSite();

function sendIntent(id: string, intent: string, cookie = adminCookie()) {
  return review({
    request: new Request(`http://localhost/admin/review/${id}`, {
      method: "POST",
      body: new URLSearchParams({ intent }),
      headers: { Cookie: cookie, Origin: "http://localhost", Host: "localhost" },
    }),
    params: { id },
    context: {},
  });
}

async function listed(): Promise<BlockListPage["uncompared"]> {
  const request = new Request("http://localhost/admin/block-list", {
    headers: { Cookie: adminCookie() },
  });
  return ((await blockList({ request, params: {}, context: {} })) as BlockListPage).uncompared;
}

/** Adds a video that is on hold until it has been compared, with its jobs in the given states. */
async function addHeld(jobs: Record<string, string>, { isToBePublic = true } = {}): Promise<void> {
  addVideo({ status: isToBePublic ? "published" : "review", uploaded_by: "up" });
  const add = sqliteHandle().prepare(
    "INSERT INTO jobs (video_id, kind, priority, state, reason) VALUES ('v', ?, 0, ?, ?)",
  );
  for (const [kind, state] of Object.entries(jobs)) {
    add.run(kind, state, state === "failed" ? "The file is damaged. ffmpeg said: moov" : null);
  }
  await transaction(() => holdUncompared("v"));
}

const logged = () =>
  sqliteHandle().prepare("SELECT action, video_id, user_id, detail FROM moderation_log").all();

describe.runIf(ffmpegAvailable())("an upload whose file can no longer be read", () => {
  it("shows the reason for its hold, and is published after a later, successful comparison", async () => {
    const clip = makeClip(site.folder, "video", {
      videoSource: "testsrc2=size=160x120:duration=4",
    });
    const id = await addToLibrary(site.uploads, clip, true);
    await transaction(() => holdUncompared(id));
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind NOT IN ('storyboard')");
    const file = diskPath(site.uploads, videoRow(id).video_url);
    const video = fs.readFileSync(file);
    fs.writeFileSync(file, "This is no video any more.");
    await workUntilIdle();
    expect(jobStates(id).storyboard).toBe("failed");
    expect(await releaseCompared()).toBe(0);
    expect(loadReview(id)?.uncompared?.failure?.why).toContain("supported video");
    expect(refusalsOf([id]).get(id)).toMatch(
      /couldn’t be compared .*: This file isn.t a supported video/,
    );

    fs.writeFileSync(file, video);
    const { location, toast } = await expectSuccessOf(() => sendIntent(id, "compare-again"));
    expect(location).toBe(`/admin/review/${id}`);
    expect(toast.description).toContain("queued again");
    expect(jobStates(id)).toMatchObject({ storyboard: "waiting", fingerprint: "waiting" });
    expect(uncomparedOf(id)).toEqual({ isToBePublic: true });
    await workUntilIdle();
    expect(jobStates(id).fingerprint).toBe("done");
    expect(await releaseCompared()).toBe(1);
    expect(isPublic(id)).toBe(true);
    expect((await listActivities())[0]).toMatchObject({
      action: "queue-again",
      detail: "Duplicate check of “video.mp4”",
    });
    // The moderation log is empty because no moderator has made a decision.
    expect(logged()).toEqual([]);
  }, 60_000);
});

describe("a failed comparison", () => {
  afterEach(() => forgetFfmpeg());
  const why = "The file is damaged.";

  it("is shown in the list, on the block list page, and when someone tries to publish the video", async () => {
    await addHeld({ transcode: "done", storyboard: "done", fingerprint: "failed" });
    expect(await listed()).toEqual([{ id: "v", title: "A video", why }]);
    const { manage } = (await page("/admin?tab=manage")) as never as {
      manage: { held: Record<string, string> };
    };
    expect(manage.held.v).toContain(`couldn’t be compared with the block list: ${why}`);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const refusal = await expectFailure({ intent: "toggle", id: "v", expectedStatus: "hidden" });
    expect(JSON.stringify(refusal)).toContain(why);
    // ffmpeg's output is only shown in the queue.
    expect(JSON.stringify([manage.held, refusal, await listed()])).not.toContain("moov");
  });

  it.each([
    ["the transcode job failed", { transcode: "failed", storyboard: "waiting" }, why],
    ["the storyboard job failed", { transcode: "done", storyboard: "failed" }, why],
    ["no job is queued", { transcode: "done", storyboard: "done" }, "No duplicate check is queued"],
    ["no job ever existed", {}, "No duplicate check is queued"],
  ])("is shown if %s", async (_, jobs, message) => {
    await addHeld(jobs);
    expect(uncomparedOf("v")?.failure?.why).toContain(message);
    expect(uncomparedOf("v")?.failure?.advice).toMatch(/\.$/);
    expect(await listed()).toHaveLength(1);
  });

  it.each([
    ["the storyboard job is queued", { transcode: "done", storyboard: "waiting" }],
    [
      "the storyboard job failed after the comparison was queued",
      { storyboard: "failed", fingerprint: "waiting" },
    ],
    ["the comparison is running", { transcode: "done", fingerprint: "running" }],
    ["the comparison is done", { transcode: "done", storyboard: "failed", fingerprint: "done" }],
  ])("isn't shown if %s", async (_, jobs) => {
    await addHeld(jobs);
    expect(uncomparedOf("v")).toEqual({ isToBePublic: true });
    expect(refusalsOf(["v"]).get("v")).toContain("until it has been compared");
    expect(await listed()).toEqual([]);
  });

  it.runIf(ffmpegAvailable())("is queued again only once", async () => {
    await addHeld({ transcode: "done", storyboard: "done", fingerprint: "failed" });
    await expectSuccessOf(() => sendIntent("v", "compare-again"));
    expect(jobStates("v")).toEqual({
      transcode: "done",
      storyboard: "done",
      fingerprint: "waiting",
    });
    const again = await sendIntent("v", "compare-again");
    expect(again).toMatchObject({ init: { status: 409 } });
    expect(JSON.stringify(again)).toContain("already being compared");
    sqliteHandle().exec("DELETE FROM video_holds");
    expect(JSON.stringify(await sendIntent("v", "compare-again"))).toContain("no longer waiting");
  });

  it("isn't queued again if ffmpeg is missing", async () => {
    await addHeld({ fingerprint: "failed" });
    const before = process.env.PATH;
    process.env.PATH = site.folder;
    forgetFfmpeg();
    const response = await sendIntent("v", "compare-again");
    process.env.PATH = before;
    expect(response).toMatchObject({ init: { status: 409 } });
    expect(JSON.stringify(response)).toContain("ffmpeg is not installed");
    expect(jobStates("v")).toEqual({ fingerprint: "failed" });
  });
});

describe("a moderator who has watched the video", () => {
  it("can publish it, and the decision is logged", async () => {
    await addHeld({ fingerprint: "failed" });
    const { toast } = await expectSuccessOf(() => sendIntent("v", "release-uncompared"));
    expect(toast.description).toBe("The video is published.");
    expect(isPublic("v")).toBe(true);
    expect(logged()).toEqual([
      { action: "release-uncompared", video_id: "v", user_id: "u", detail: '{"hasFailed":true}' },
    ]);
    expect((await listActivities())[0]).toMatchObject({
      action: "block-looked",
      detail: "A video",
    });
    expect(await listed()).toEqual([]);
    // Another moderator has already made this decision.
    expect(await sendIntent("v", "release-uncompared")).toMatchObject({ init: { status: 409 } });
    expect(logged()).toHaveLength(1);
  });

  it("doesn't have to wait until the job has finished", async () => {
    await addHeld({ fingerprint: "running" });
    await expectSuccessOf(() => sendIntent("v", "release-uncompared"));
    expect(logged()).toMatchObject([{ detail: '{"hasFailed":false}' }]);
  });

  it("can't publish drafts or videos with another hold", async () => {
    await addHeld({ fingerprint: "failed" }, { isToBePublic: false });
    expect(loadReview("v")?.uncompared?.isToBePublic).toBe(false);
    const { toast } = await expectSuccessOf(() => sendIntent("v", "release-uncompared"));
    expect([toast.description, videoRow("v").status]).toEqual([
      "The video is no longer on hold because of the comparison.",
      "review",
    ]);
    await transaction(() => {
      holdUncompared("v");
      hold({ videoId: "v", reason: "report" });
    });
    await expectSuccessOf(() => sendIntent("v", "release-uncompared"));
    expect(isPublic("v")).toBe(false);
    expect(refusalsOf(["v"]).get("v")).toContain("decides on a report");
  });

  it("can't dismiss matches for a video that wasn't compared", async () => {
    await addHeld({ fingerprint: "failed" });
    expect(await sendIntent("v", "other-video")).toMatchObject({ init: { status: 404 } });
    expect(uncomparedOf("v")).toBeDefined();
  });

  it("can't be the video's uploader, who only sees why the video is on hold", async () => {
    await addHeld({ fingerprint: "failed" });
    sqliteHandle().exec(
      `INSERT INTO users (id, email, password_hash, role, may_publish)
       VALUES ('up', 'up@b.c', 'x', 'uploader', 1)`,
    );
    const cookie = (await openSession("up")).split(";")[0]!;
    for (const intent of ["compare-again", "release-uncompared"]) {
      const status = await sendIntent("v", intent, cookie).catch(
        (thrown: Response) => thrown.status,
      );
      expect(status, intent).toBe(403);
    }
    expect([isPublic("v"), jobStates("v")]).toEqual([false, { fingerprint: "failed" }]);
    expect(logged()).toEqual([]);
    expect(loadReview("v", "up")?.uncompared?.failure?.why).toBe("The file is damaged.");
  });
});
