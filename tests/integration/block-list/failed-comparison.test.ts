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
  page,
  refused,
  succeeded,
  useAdminSite,
} from "../../admin-requests";
import { addToLibrary, jobStates, onDisk, videoRow, workUntilIdle } from "../../encode-library";
import { makeClip } from "../../media-clips";

/** Videos that are held for their comparison with the block list, which failed for good. */

const site = useAdminSite();

function ask(id: string, intent: string, cookie = adminCookie()) {
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

/** A video that waits for its comparison, with jobs of these states. */
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

describe.runIf(ffmpegAvailable())("an upload whose file can't be read any more", () => {
  it("says why, and is published once it could be compared again", async () => {
    const clip = makeClip(site.folder, "video", { picture: "testsrc2=size=160x120:duration=4" });
    const id = await addToLibrary(site.uploads, clip, true);
    await transaction(() => holdUncompared(id));
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind NOT IN ('storyboard')");
    const file = onDisk(site.uploads, videoRow(id).video_url);
    const video = fs.readFileSync(file);
    fs.writeFileSync(file, "This is no video any more.");
    await workUntilIdle();
    expect(jobStates(id).storyboard).toBe("failed");
    expect(await releaseCompared()).toBe(0);
    expect(loadReview(id)?.uncompared?.failure?.why).toContain("not a video file");
    expect(refusalsOf([id]).get(id)).toMatch(/couldn’t be compared .*: This is not a video file/);

    fs.writeFileSync(file, video);
    const { location, toast } = await succeeded(() => ask(id, "compare-again"));
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
      detail: "Comparing with others of “video.mp4”",
    });
    // Nothing was decided by a person.
    expect(logged()).toEqual([]);
  }, 60_000);
});

describe("a comparison that failed for good", () => {
  afterEach(() => forgetFfmpeg());
  const why = "The file is damaged.";

  it("is said in the list, on the page of the block list, and to whoever publishes", async () => {
    await addHeld({ transcode: "done", storyboard: "done", fingerprint: "failed" });
    expect(await listed()).toEqual([{ id: "v", title: "A video", why }]);
    const { manage } = (await page("/admin?tab=manage")) as never as {
      manage: { held: Record<string, string> };
    };
    expect(manage.held.v).toContain(`couldn’t be compared with the block list: ${why}`);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const refusal = await refused({ intent: "toggle", id: "v", expectedStatus: "hidden" });
    expect(JSON.stringify(refusal)).toContain(why);
    // What ffmpeg said is for the queue.
    expect(JSON.stringify([manage.held, refusal, await listed()])).not.toContain("moov");
  });

  it.each([
    ["its file could not be made", { transcode: "failed", storyboard: "waiting" }, why],
    ["its pictures could not be made", { transcode: "done", storyboard: "failed" }, why],
    ["no job is left", { transcode: "done", storyboard: "done" }, "No job is left"],
    ["there was none", {}, "No job is left"],
  ])("is said where %s", async (_, jobs, message) => {
    await addHeld(jobs);
    expect(uncomparedOf("v")?.failure?.why).toContain(message);
    expect(uncomparedOf("v")?.failure?.advice).toMatch(/\.$/);
    expect(await listed()).toHaveLength(1);
  });

  it.each([
    ["its pictures wait", { transcode: "done", storyboard: "waiting" }],
    [
      "its pictures failed after it was asked for",
      { storyboard: "failed", fingerprint: "waiting" },
    ],
    ["it is under way", { transcode: "done", fingerprint: "running" }],
    ["it is done", { transcode: "done", storyboard: "failed", fingerprint: "done" }],
  ])("is not said where %s", async (_, jobs) => {
    await addHeld(jobs);
    expect(uncomparedOf("v")).toEqual({ isToBePublic: true });
    expect(refusalsOf(["v"]).get("v")).toContain("until it has been compared");
    expect(await listed()).toEqual([]);
  });

  it.runIf(ffmpegAvailable())("is asked for anew once, whoever asks again", async () => {
    await addHeld({ transcode: "done", storyboard: "done", fingerprint: "failed" });
    await succeeded(() => ask("v", "compare-again"));
    expect(jobStates("v")).toEqual({
      transcode: "done",
      storyboard: "done",
      fingerprint: "waiting",
    });
    const again = await ask("v", "compare-again");
    expect(again).toMatchObject({ init: { status: 409 } });
    expect(JSON.stringify(again)).toContain("already being compared");
    sqliteHandle().exec("DELETE FROM video_holds");
    expect(JSON.stringify(await ask("v", "compare-again"))).toContain("no longer waiting");
  });

  it("is not asked for anew without ffmpeg", async () => {
    await addHeld({ fingerprint: "failed" });
    const before = process.env.PATH;
    process.env.PATH = site.folder;
    forgetFfmpeg();
    const answer = await ask("v", "compare-again");
    process.env.PATH = before;
    expect(answer).toMatchObject({ init: { status: 409 } });
    expect(JSON.stringify(answer)).toContain("ffmpeg is not installed");
    expect(jobStates("v")).toEqual({ fingerprint: "failed" });
  });
});

describe("a moderator who has watched the video", () => {
  it("publishes it, which stands in the log", async () => {
    await addHeld({ fingerprint: "failed" });
    const { toast } = await succeeded(() => ask("v", "release-uncompared"));
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
    // Somebody else was first.
    expect(await ask("v", "release-uncompared")).toMatchObject({ init: { status: 409 } });
    expect(logged()).toHaveLength(1);
  });

  it("need not wait for a job", async () => {
    await addHeld({ fingerprint: "running" });
    await succeeded(() => ask("v", "release-uncompared"));
    expect(logged()).toMatchObject([{ detail: '{"hasFailed":false}' }]);
  });

  it("leaves a draft one, and what something else holds held", async () => {
    await addHeld({ fingerprint: "failed" }, { isToBePublic: false });
    expect(loadReview("v")?.uncompared?.isToBePublic).toBe(false);
    const { toast } = await succeeded(() => ask("v", "release-uncompared"));
    expect([toast.description, videoRow("v").status]).toEqual([
      "The video is no longer on hold because of the comparison.",
      "review",
    ]);
    await transaction(() => {
      holdUncompared("v");
      hold({ videoId: "v", reason: "report" });
    });
    await succeeded(() => ask("v", "release-uncompared"));
    expect(isPublic("v")).toBe(false);
    expect(refusalsOf(["v"]).get("v")).toContain("decides on a report");
  });

  it("says of a video that was not compared nothing about those it looks like", async () => {
    await addHeld({ fingerprint: "failed" });
    expect(await ask("v", "other-video")).toMatchObject({ init: { status: 404 } });
    expect(uncomparedOf("v")).toBeDefined();
  });

  it("is nobody who may only upload, who reads why it is held", async () => {
    await addHeld({ fingerprint: "failed" });
    sqliteHandle().exec(
      `INSERT INTO users (id, email, password_hash, role, may_publish)
       VALUES ('up', 'up@b.c', 'x', 'uploader', 1)`,
    );
    const cookie = (await openSession("up")).split(";")[0]!;
    for (const intent of ["compare-again", "release-uncompared"]) {
      const status = await ask("v", intent, cookie).catch((thrown: Response) => thrown.status);
      expect(status, intent).toBe(403);
    }
    expect([isPublic("v"), jobStates("v")]).toEqual([false, { fingerprint: "failed" }]);
    expect(logged()).toEqual([]);
    expect(loadReview("v", "up")?.uncompared?.failure?.why).toBe("The file is damaged.");
  });
});
