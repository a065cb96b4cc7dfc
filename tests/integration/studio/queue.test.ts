import { describe, expect, it, vi } from "vitest";
import { createJobChanger } from "~/features/processing/queue/change-jobs.server";
import { enqueueJobs } from "~/features/processing/queue/enqueue.server";
import { claim, fail, hasLease } from "~/features/processing/queue/queue.server";
import { pausedSince } from "~/features/processing/queue/queue-state.server";
import { action, loader } from "~/features/processing/routes/queue";
import { readQueuePage } from "~/features/processing/screens/queue-page.server";
import { ffmpegAvailable, hasEncoder } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { activityMessage } from "~/platform/activity/activity-labels";
import type { Failure } from "~/platform/failure";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle, transaction } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  catchResponse,
  expectFailure,
  expectSuccess,
  expectSuccessOf,
  useAdminSite,
} from "../../admin-requests";
import { jobRows } from "../../encode-library";

useAdminSite();
const ORIGIN = "http://localhost";

async function page(url = "/admin/queue") {
  const request = new Request(ORIGIN + url, { headers: { Cookie: adminCookie() } });
  const { data, init } = await loader({ request, params: {}, context: {} });
  return { ...data, status: init?.status };
}

function send(fields: [string, string][], url = "/admin/queue") {
  const request = new Request(ORIGIN + url, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" },
  });
  return action({ request, params: {}, context: {} });
}

/** Submits a form that should succeed. Returns the toast. */
async function toastMessage(fields: [string, string][], url?: string): Promise<string> {
  return (await expectSuccessOf(() => send(fields, url))).toast.description;
}

async function rejection(fields: [string, string][]): Promise<Failure> {
  const response = (await send(fields)) as unknown as {
    data: { error: Failure };
    init: { status: number };
  };
  expect(response.init.status).toBe(response.data.error.status);
  return response.data.error;
}

/** Adds a video with a file and its jobs. */
async function addQueued(id: string, columns: Record<string, string> = {}): Promise<void> {
  addVideo({
    id,
    title: `Video ${id}`,
    video_url: `/media/videos/u/${id}.mp4`,
    duration: "1:40",
    ...columns,
  });
  await transaction(() => enqueueJobs([id]));
}

const numberOf = (id: string, kind: string) =>
  String(jobRows(id).find((job) => job.kind === kind)!.id);
const set = (sql: string) => sqliteHandle().exec(`UPDATE jobs SET ${sql}`);
const next = async () => {
  const job = await claim();
  return job && [job.video_id, job.kind];
};
const activities = async () =>
  (await listActivities()).map(({ action: each, detail }) => {
    const { before, subject, after } = activityMessage(each, detail);
    return before + subject + after;
  });

describe.runIf(ffmpegAvailable())("the Queue page", () => {
  it("shows running, queued and failed jobs, with a separate URL for each group", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    await fail((await claim())!, "The file is damaged. ffmpeg said: moov", true);
    await claim();
    const { queue, view } = await page();
    expect(view).toEqual({ page: 1 });
    expect(queue.counts).toEqual({ running: 1, waiting: 12, failed: 1 });
    expect(queue.lists.map(({ state, jobs }) => [state, jobs.length])).toEqual([
      ["running", 1],
      ["failed", 1],
      ["waiting", 12],
    ]);
    const [job] = (await page("/admin/queue?state=failed")).queue.lists[0]!.jobs;
    expect(job).toMatchObject({
      title: "Video a",
      label: "Preparing for playback",
      state: "failed",
    });
    expect((await page("/admin/queue?state=done")).queue).toMatchObject({
      counts: { done: 0 },
      lists: [{ state: "done", jobs: [] }],
    });
    expect((await page("/admin/queue?state=nonsense")).view).toEqual({ page: 1 });
  });

  it("is paginated, and clamps the page number to the last page", async () => {
    for (let n = 0; n < 10; n += 1) await addQueued(`v${n}`);
    const { queue, view } = await page("/admin/queue?state=waiting&page=99");
    expect(queue).toMatchObject({ page: 2, pageCount: 2, counts: { waiting: 70 } });
    expect(queue.lists[0]!.jobs).toHaveLength(20);
    expect(view).toEqual({ state: "waiting", page: 2 });
  });

  it("shows all of a video's jobs, and responds with 404 if the video doesn't exist", async () => {
    await addQueued("a");
    set("state = 'done', finished_at = '2026-01-01T00:00:00.000Z' WHERE kind = 'poster'");
    const { queue, status } = await page("/admin/queue?video=a");
    expect(status).toBe(200);
    expect(queue.video).toEqual({
      ...{ id: "a", title: "Video a" },
      ...{ hasFile: true, hasStream: false },
    });
    expect(queue.lists[0]!.jobs).toHaveLength(8);
    expect(await page("/admin/queue?video=gone")).toMatchObject({ status: 404 });
  });

  it("shows and moves a pending file's jobs", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    sqliteHandle().exec(`INSERT INTO video_files (id, video_id, state, video_url)
      VALUES ('new', 'a', 'pending', '/media/videos/u/2.mp4')`);
    await transaction(() => enqueueJobs(["new"]));
    set("state = 'done', finished_at = '2026-01-01T00:00:00.000Z' WHERE video_id = 'a'");
    const { queue } = await page("/admin/queue?state=waiting");
    expect(queue.lists[0]!.jobs).toHaveLength(queue.counts.waiting!);
    const found = queue.lists[0]!.jobs.filter(({ label }) => label.startsWith("New file: "));
    expect(found.length).toBeGreaterThan(1);
    expect(found[0]).toMatchObject({ videoId: "a", title: "Video a" });
    const ofVideo = (await page("/admin/queue?video=a")).queue.lists[0]!.jobs;
    // The cleanup job, which waits by design, is shown only on the video's page.
    expect(ofVideo.filter(({ state }) => state === "waiting")).toHaveLength(found.length + 1);
    const selected = numberOf("new", "ladder");
    expect(
      await toastMessage([
        ["intent", "later"],
        ["selected", selected],
      ]),
    ).toBe("Moved to the back of the queue.");
    expect((await activities())[0]).toContain("Streaming versions of “Video a”");
    expect(
      await toastMessage([
        ["intent", "now"],
        ["video", "a"],
      ]),
    ).toBe("The video was moved to the front of the queue.");
    expect((await next())![0]).toBe("new");
  });

  it("estimates the remaining time only from completed jobs", async () => {
    await addQueued("a");
    set("state = 'done' WHERE kind NOT IN ('ladder', 'loudness', 'cleanup')");
    const { queue } = await page();
    expect(queue.secondsLeft).toBeNull();
    // Each video lasts 50 s. Its stream took 25 s to encode, except for one job that was suspended and took 10 hours.
    // The loudness measurement took 5 s.
    for (const [id, seconds] of [
      ["b", 25],
      ["c", 36_000],
      ["d", 25],
    ] as const) {
      await addQueued(id, { duration: "0:50" });
      const took = { ladder: seconds, loudness: 5 };
      for (const [kind, length] of Object.entries(took)) {
        set(`state = 'done', started_at = '2026-01-01T00:00:00.000Z',
          finished_at = '${new Date(Date.UTC(2026, 0, 1) + length * 1_000).toISOString()}'
          WHERE video_id = '${id}' AND kind = '${kind}'`);
      }
      set(`state = 'done' WHERE video_id = '${id}' AND kind NOT IN ('ladder', 'loudness')`);
    }
    expect((await page()).queue.secondsLeft).toBeCloseTo(100 * (0.5 + 0.1), 3);
    set("state = 'running', seconds_left = 7 WHERE video_id = 'a' AND kind = 'ladder'");
    expect((await page()).queue.secondsLeft).toBeCloseTo(7 + 10, 3);
    set("state = 'failed' WHERE video_id = 'a' AND kind = 'transcode'");
    expect((await page()).queue.secondsLeft).toBeCloseTo(7, 3);
  });

  it("requires a session", async () => {
    const request = new Request(`${ORIGIN}/admin/queue`);
    const response = await catchResponse(() => loader({ request, params: {}, context: {} }));
    expect(response.status).toBe(302);
  });
});

describe.runIf(ffmpegAvailable() && hasEncoder("libsvtav1"))("additional codecs", () => {
  const codecsForm = (video = "a"): [string, string][] => [
    ["intent", "codecs"],
    ["video", video],
  ];
  const set = (codecs: string) => {
    process.env.ENCODER_CODECS = codecs;
    forgetSettings();
  };

  it("are requested on a video's page, and queued behind other jobs", async () => {
    await addQueued("a", { hls_url: "/media/videos/u/a/hls-1/master.m3u8" });
    set("h264,av1");
    expect(await page("/admin/queue?video=a")).toMatchObject({
      queue: { video: { hasStream: true } },
      codecs: ["AV1"],
      codecsOff: [],
    });
    expect(await toastMessage(codecsForm())).toBe(
      "Queued. The codecs will be added to the stream.",
    );
    expect(await activities()).toContain("requested additional codecs for Video a");
    expect(jobRows("a").at(-1)).toMatchObject({ kind: "codecs", state: "waiting" });
    expect(await rejection(codecsForm())).toMatchObject({ status: 409 });
    expect(await rejection(codecsForm("gone"))).toMatchObject({ status: 404 });
    expect(
      await toastMessage([
        ["intent", "now"],
        ["selected", numberOf("a", "codecs")],
      ]),
    ).toBe("Moved to the front of the queue.");
    await addQueued("none");
    expect((await rejection(codecsForm("none"))).detail).toBe(
      "The video has no stream to add codecs to.",
    );
  });

  it("can't be requested while they are disabled, and the page shows the reason", async () => {
    await addQueued("a", { hls_url: "/media/videos/u/a/hls-1/master.m3u8" });
    set("h264");
    expect(await page()).toMatchObject({ codecs: [], codecsOff: [] });
    expect((await rejection(codecsForm())).detail).toBe("ENCODER_CODECS contains only h264.");
    set("h264,hevc");
    const why = "HEVC is disabled: HEVC requires hardware encoding, and ENCODER_HARDWARE is off.";
    expect(await page()).toMatchObject({ codecs: [], codecsOff: [why] });
    expect(await rejection(codecsForm())).toMatchObject({ status: 409, detail: why });
    expect(jobRows("a").map(({ kind }) => kind)).not.toContain("codecs");
    set("h264");
  });
});

describe.runIf(ffmpegAvailable())("moving jobs to the front and back", () => {
  it("puts them before or after all others, with the most recently moved job first or last", async () => {
    for (const id of ["a", "b", "c"]) await addQueued(id);
    set("state = 'done' WHERE kind NOT IN ('ladder', 'poster')");
    const chosen = (id: string): [string, string] => ["selected", numberOf(id, "ladder")];
    expect(await toastMessage([["intent", "now"], chosen("b")])).toBe(
      "Moved to the front of the queue.",
    );
    expect(await toastMessage([["intent", "now"], chosen("c")])).toBe(
      "Moved to the front of the queue.",
    );
    expect(
      await toastMessage([
        ["intent", "later"],
        ["selected", numberOf("a", "poster")],
      ]),
    ).toBe("Moved to the back of the queue.");
    expect(
      (await page()).queue.lists[2]!.jobs.map(({ title, position }) => [title, position]),
    ).toEqual([
      ["Video c", "first"],
      ["Video b", "first"],
      ["Video b", undefined],
      ["Video c", undefined],
      ["Video a", undefined],
      ["Video a", "last"],
    ]);
    await addQueued("new");
    const order = [];
    for (let n = 0; n < 7; n += 1) order.push(await next());
    expect(order).toEqual([
      ["c", "ladder"],
      ["b", "ladder"],
      ["new", "transcode"],
      ["b", "poster"],
      ["c", "poster"],
      ["a", "ladder"],
      ["a", "poster"],
    ]);
    expect((await activities()).slice(0, 2)).toEqual([
      "moved Poster of “Video a” to the back of the queue",
      "moved Streaming versions of “Video c” to the front of the queue",
    ]);
  });

  it("starts a waiting retry immediately, and moves the jobs that it depends on", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    await fail((await claim())!, "The file is damaged.", true);
    expect(
      await toastMessage([
        ["intent", "now"],
        ["selected", numberOf("a", "ladder")],
      ]),
    ).toBe("Moved to the front of the queue.");
    expect(await next()).toEqual(["a", "transcode"]);
    const job = jobRows("a").find(({ kind }) => kind === "transcode")!;
    expect(job).toMatchObject({ attempts: 1, reason: null });
  });

  it("stops a running job that is moved to the back, and doesn't count the attempt", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    const job = (await claim())!;
    expect(
      await toastMessage([
        ["intent", "later"],
        ["selected", String(job.id)],
      ]),
    ).toBe("Moved to the back of the queue.");
    expect(hasLease(job)).toBe(false);
    expect(jobRows("a").find(({ kind }) => kind === "transcode")).toMatchObject({
      state: "waiting",
      worker: null,
      attempts: 0,
    });
    // The job's worker may continue until its lease expires.
    expect(await next()).toEqual(["b", "transcode"]);
    set("state = 'done' WHERE video_id = 'b'");
    expect(await claim(undefined, Date.now() + 20_000)).toBeUndefined();
    expect(await claim(undefined, Date.now() + 31_000)).toMatchObject({ id: job.id });
  });

  it("is rejected with a status that matches the reason", async () => {
    await addQueued("a");
    const running = (await claim())!;
    const captions = numberOf("a", "captions");
    set("state = 'done' WHERE kind = 'captions'");
    expect(
      await rejection([
        ["intent", "now"],
        ["selected", String(running.id)],
      ]),
    ).toMatchObject({ status: 409 });
    expect(
      await rejection([
        ["intent", "later"],
        ["selected", captions],
      ]),
    ).toMatchObject({ status: 409 });
    expect(
      await rejection([
        ["intent", "now"],
        ["selected", "999999"],
      ]),
    ).toMatchObject({ status: 404 });
    expect(await rejection([["intent", "now"]])).toMatchObject({ status: 422 });
    expect(
      await rejection([
        ["intent", "now"],
        ["selected", "x"],
      ]),
    ).toMatchObject({ status: 400 });
    expect(await rejection([["intent", "burn"]])).toMatchObject({ status: 400 });
    sqliteHandle().exec("DELETE FROM videos");
    expect(
      await rejection([
        ["intent", "later"],
        ["selected", captions],
      ]),
    ).toMatchObject({ status: 404 });
    expect(await activities()).toEqual([]);
  });

  it("reports how many of several jobs were changed, unchanged and deleted", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    const running = (await claim())!;
    const fields: [string, string][] = [
      ["intent", "now"],
      ...["poster", "ladder"].map((kind): [string, string] => ["selected", numberOf("a", kind)]),
      ["selected", String(running.id)],
      ["selected", "999999"],
    ];
    expect(await toastMessage(fields, "/admin/queue?state=waiting")).toBe(
      "2 jobs moved to the front of the queue. 1 job couldn’t be changed. 1 job no longer exists.",
    );
    expect(await activities()).toEqual(["moved 2 jobs of “Video a” to the front of the queue"]);
  });
});

describe.runIf(ffmpegAvailable())("running jobs again", () => {
  it("reruns completed and failed jobs", async () => {
    await addQueued("a");
    set("state = 'done', finished_at = '2026-01-01', priority = -160, progress = 1");
    set("state = 'failed', reason = 'No.', attempts = 3 WHERE kind = 'ladder'");
    expect(
      await toastMessage([
        ["intent", "again"],
        ["selected", numberOf("a", "poster")],
      ]),
    ).toBe("The job was queued again.");
    expect(jobRows("a").find(({ kind }) => kind === "poster")).toMatchObject({
      state: "waiting",
      priority: 10,
      finished_at: null,
      progress: 0,
    });
    expect(await toastMessage([["intent", "retry"]])).toBe("The job was queued again.");
    expect(jobRows("a").find(({ kind }) => kind === "ladder")).toMatchObject({
      state: "waiting",
      attempts: 0,
      reason: null,
    });
    expect(await toastMessage([["intent", "retry"]])).toBe("There are no failed jobs to retry.");
  });

  it("reruns all of a video's jobs, from its page and from the list", async () => {
    await addQueued("a");
    addVideo({ id: "b", title: "Video b", video_url: "/media/videos/u/b.mp4" });
    addVideo({ id: "empty", title: "Without a file" });
    set("state = 'done'");
    const states = (id: string) => jobRows(id).filter(({ state }) => state === "waiting").length;
    expect(
      await toastMessage(
        [
          ["intent", "again"],
          ["video", "a"],
        ],
        "/admin/queue?video=a",
      ),
    ).toBe("The video was queued for re-encoding.");
    expect(states("a")).toBe(7);
    expect(
      await rejection([
        ["intent", "again"],
        ["video", "empty"],
      ]),
    ).toMatchObject({ status: 409 });
    expect(
      await rejection([
        ["intent", "again"],
        ["video", "gone"],
      ]),
    ).toMatchObject({ status: 404 });
    set("state = 'done'");
    expect(
      await rejection([
        ["intent", "later"],
        ["video", "a"],
      ]),
    ).toMatchObject({ status: 409 });
    const bulk = (what: string, selected: string[]) => ({ intent: "bulk", do: what, selected });
    const { toast } = await expectSuccess(bulk("convert-again", ["a", "b", "empty"]));
    expect(toast.description).toBe(
      "Queued 2 videos for re-encoding. 1 video was not changed because a video without a file can't be re-encoded: “Without a file”.",
    );
    expect([states("a"), states("b"), states("empty")]).toEqual([7, 8, 0]);
    await expectSuccess(bulk("convert-now", ["b"]));
    expect(await next()).toEqual(["b", "transcode"]);
    await expectSuccess(bulk("convert-later", ["b"]));
    expect(await next()).toEqual(["a", "transcode"]);
    expect((await expectFailure(bulk("convert-again", ["empty"]))).status).toBe(422);
    expect((await activities())[0]).toBe("postponed the processing of 1 video: “Video b”");
  });
});

describe.runIf(ffmpegAvailable())("a paused queue", () => {
  it("doesn't start any job, even after a restart, and continues when resumed", async () => {
    await addQueued("a");
    expect(await toastMessage([["intent", "pause"]])).toBe("Processing paused.");
    expect(await claim()).toBeUndefined();
    closeDatabase();
    expect(await claim()).toBeUndefined();
    expect(pausedSince()).toBe((await page()).pausedSince);
    expect(await toastMessage([["intent", "pause"]])).toBe("Processing was already paused.");
    expect(await toastMessage([["intent", "resume"]])).toBe("Processing resumed.");
    expect(await toastMessage([["intent", "resume"]])).toBe("Processing wasn’t paused.");
    expect(await next()).toEqual(["a", "transcode"]);
    expect(await activities()).toEqual(["resumed the queue", "paused the queue"]);
  });
});

describe.runIf(ffmpegAvailable())("a long queue", () => {
  it("is neither scanned nor sorted to show a page or to find the next job", async () => {
    await addQueued("a");
    const prepare = vi.spyOn(sqliteHandle(), "prepare");
    const read = readQueuePage(sqliteHandle());
    for (const state of [undefined, "running", "waiting", "failed"] as const) {
      read({ view: { page: 1, ...(state && { state }) }, concurrency: 1 });
    }
    await claim();
    for (const change of ["again", "now", "later"] as const) createJobChanger(change);
    const statements = prepare.mock.calls.map(([sql]) => sql);
    prepare.mockRestore();
    expect(statements.length).toBeGreaterThan(15);
    for (const sql of statements) {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      const named = Object.fromEntries(
        [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]),
      );
      const plan = sqliteHandle()
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values, named);
      expect(JSON.stringify(plan), sql).not.toMatch(/SCAN (jobs|job|videos)"/);
      if (/jobs_unfinished/.test(sql) && !/AS listed/.test(sql)) {
        expect(JSON.stringify(plan), sql).not.toMatch(/TEMP B-TREE FOR ORDER/);
      }
    }
  });
});
