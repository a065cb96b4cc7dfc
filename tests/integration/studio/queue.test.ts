import { describe, expect, it, vi } from "vitest";
import { jobChanger } from "~/features/processing/queue/change-jobs.server";
import { enqueueIn } from "~/features/processing/queue/enqueue.server";
import { claim, fail, isOurs } from "~/features/processing/queue/queue.server";
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
  caught,
  refused,
  succeed,
  succeeded,
  useAdminSite,
} from "../../admin-requests";
import { jobRows } from "../../encode-library";

useAdminSite();
const ORIGIN = "http://localhost";

async function page(address = "/admin/queue") {
  const request = new Request(ORIGIN + address, { headers: { Cookie: adminCookie() } });
  const { data, init } = await loader({ request, params: {}, context: {} });
  return { ...data, status: init?.status };
}

function send(fields: [string, string][], address = "/admin/queue") {
  const request = new Request(ORIGIN + address, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" },
  });
  return action({ request, params: {}, context: {} });
}

/** Sends a form that is to succeed; what is said. */
async function said(fields: [string, string][], address?: string): Promise<string> {
  return (await succeeded(() => send(fields, address))).toast.description;
}

async function turnedDown(fields: [string, string][]): Promise<Failure> {
  const answer = (await send(fields)) as unknown as {
    data: { error: Failure };
    init: { status: number };
  };
  expect(answer.init.status).toBe(answer.data.error.status);
  return answer.data.error;
}

/** A video with a file, and its jobs. */
async function addQueued(id: string, columns: Record<string, string> = {}): Promise<void> {
  addVideo({
    id,
    title: `Video ${id}`,
    video_url: `/media/videos/u/${id}.mp4`,
    duration: "1:40",
    ...columns,
  });
  await transaction(() => enqueueIn([id]));
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

describe.runIf(ffmpegAvailable())("the page of the queue", () => {
  it("shows what runs, what waits and what failed, and each alone by its address", async () => {
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
    expect(job).toMatchObject({ title: "Video a", label: "Making it playable", state: "failed" });
    expect((await page("/admin/queue?state=done")).queue).toMatchObject({
      counts: { done: 0 },
      lists: [{ state: "done", jobs: [] }],
    });
    expect((await page("/admin/queue?state=nonsense")).view).toEqual({ page: 1 });
  });

  it("has pages, clamped to what exists", async () => {
    for (let n = 0; n < 10; n += 1) await addQueued(`v${n}`);
    const { queue, view } = await page("/admin/queue?state=waiting&page=99");
    expect(queue).toMatchObject({ page: 2, pageCount: 2, counts: { waiting: 70 } });
    expect(queue.lists[0]!.jobs).toHaveLength(20);
    expect(view).toEqual({ state: "waiting", page: 2 });
  });

  it("shows all jobs of a video, and answers 404 for one that is gone", async () => {
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

  it("shows and moves what is made of a file that is to become a video's", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    sqliteHandle().exec(`INSERT INTO video_files (id, video_id, state, video_url)
      VALUES ('new', 'a', 'pending', '/media/videos/u/2.mp4')`);
    await transaction(() => enqueueIn(["new"]));
    set("state = 'done', finished_at = '2026-01-01T00:00:00.000Z' WHERE video_id = 'a'");
    const { queue } = await page("/admin/queue?state=waiting");
    expect(queue.lists[0]!.jobs).toHaveLength(queue.counts.waiting!);
    const found = queue.lists[0]!.jobs.filter(({ label }) => label.startsWith("New file: "));
    expect(found.length).toBeGreaterThan(1);
    expect(found[0]).toMatchObject({ videoId: "a", title: "Video a" });
    const ofVideo = (await page("/admin/queue?video=a")).queue.lists[0]!.jobs;
    // The clean-up, which waits by design, is shown there alone.
    expect(ofVideo.filter(({ state }) => state === "waiting")).toHaveLength(found.length + 1);
    const selected = numberOf("new", "ladder");
    expect(
      await said([
        ["intent", "later"],
        ["selected", selected],
      ]),
    ).toBe("It comes last now.");
    expect((await activities())[0]).toContain("Streaming qualities of “Video a”");
    expect(
      await said([
        ["intent", "now"],
        ["video", "a"],
      ]),
    ).toBe("This video comes first now.");
    expect((await next())![0]).toBe("new");
  });

  it("knows the time that is left only from what has been made before", async () => {
    await addQueued("a");
    set("state = 'done' WHERE kind NOT IN ('ladder', 'loudness', 'cleanup')");
    const { queue } = await page();
    expect(queue.timeLeft).toEqual({
      seconds: null,
      unmeasured: ["Streaming qualities", "Loudness"],
    });
    // Of a video of 50 s: 25 s for the streams, once 10 hours because it was held, and 5 s.
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
    const { seconds } = (await page()).queue.timeLeft;
    expect(seconds).toBeCloseTo(100 * (0.5 + 0.1), 3);
    set("state = 'running', seconds_left = 7 WHERE video_id = 'a' AND kind = 'ladder'");
    expect((await page()).queue.timeLeft.seconds).toBeCloseTo(7 + 10, 3);
    set("state = 'failed' WHERE video_id = 'a' AND kind = 'transcode'");
    expect((await page()).queue.timeLeft.seconds).toBeCloseTo(7, 3);
  });

  it("is for who is signed in", async () => {
    const request = new Request(`${ORIGIN}/admin/queue`);
    const answer = await caught(() => loader({ request, params: {}, context: {} }));
    expect(answer.status).toBe(302);
  });
});

describe.runIf(ffmpegAvailable() && hasEncoder("libsvtav1"))("further codecs", () => {
  const ask = (video = "a"): [string, string][] => [
    ["intent", "codecs"],
    ["video", video],
  ];
  const set = (codecs: string) => {
    process.env.ENCODER_CODECS = codecs;
    forgetSettings();
  };

  it("are asked for on the page of a video, behind what else is made", async () => {
    await addQueued("a", { hls_url: "/media/videos/u/a/hls-1/master.m3u8" });
    set("h264,av1");
    expect(await page("/admin/queue?video=a")).toMatchObject({
      queue: { video: { hasStream: true } },
      codecs: ["AV1"],
      codecsOff: [],
    });
    expect(await said(ask())).toBe("They are added to its stream when their turn comes.");
    expect(await activities()).toContain("requested more codecs for Video a");
    expect(jobRows("a").at(-1)).toMatchObject({ kind: "codecs", state: "waiting" });
    expect(await turnedDown(ask())).toMatchObject({ status: 409 });
    expect(await turnedDown(ask("gone"))).toMatchObject({ status: 404 });
    expect(
      await said([
        ["intent", "now"],
        ["selected", numberOf("a", "codecs")],
      ]),
    ).toBe("It comes first now.");
    await addQueued("none");
    expect((await turnedDown(ask("none"))).detail).toBe(
      "The video has no stream that they could be added to.",
    );
  });

  it("say why they can't be made", async () => {
    await addQueued("a", { hls_url: "/media/videos/u/a/hls-1/master.m3u8" });
    set("h264");
    expect(await page()).toMatchObject({ codecs: [], codecsOff: [] });
    expect((await turnedDown(ask())).detail).toBe("ENCODER_CODECS names no codec beside H.264.");
    set("h264,hevc");
    const why =
      "HEVC is switched off, since HEVC is made by hardware alone, and ENCODER_HARDWARE is off.";
    expect(await page()).toMatchObject({ codecs: [], codecsOff: [why] });
    expect(await turnedDown(ask())).toMatchObject({ status: 409, detail: why });
    expect(jobRows("a").map(({ kind }) => kind)).not.toContain("codecs");
    set("h264");
  });
});

describe.runIf(ffmpegAvailable())("first and last", () => {
  it("go before all the rest and behind it, what was said later the further", async () => {
    for (const id of ["a", "b", "c"]) await addQueued(id);
    set("state = 'done' WHERE kind NOT IN ('ladder', 'poster')");
    const chosen = (id: string): [string, string] => ["selected", numberOf(id, "ladder")];
    expect(await said([["intent", "now"], chosen("b")])).toBe("It comes first now.");
    expect(await said([["intent", "now"], chosen("c")])).toBe("It comes first now.");
    expect(
      await said([
        ["intent", "later"],
        ["selected", numberOf("a", "poster")],
      ]),
    ).toBe("It comes last now.");
    expect((await page()).queue.lists[2]!.jobs.map(({ title, turn }) => [title, turn])).toEqual([
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
      "moved Streaming qualities of “Video c” to the front of the queue",
    ]);
  });

  it("begins at once what waits to be tried again, and takes along what it waits for", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    await fail((await claim())!, "The file is damaged.", true);
    expect(
      await said([
        ["intent", "now"],
        ["selected", numberOf("a", "ladder")],
      ]),
    ).toBe("It comes first now.");
    expect(await next()).toEqual(["a", "transcode"]);
    const job = jobRows("a").find(({ kind }) => kind === "transcode")!;
    expect(job).toMatchObject({ attempts: 1, reason: null });
  });

  it("stops a job that runs and is put last, and does not count the attempt", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    const job = (await claim())!;
    expect(
      await said([
        ["intent", "later"],
        ["selected", String(job.id)],
      ]),
    ).toBe("It comes last now.");
    expect(isOurs(job)).toBe(false);
    expect(jobRows("a").find(({ kind }) => kind === "transcode")).toMatchObject({
      state: "waiting",
      worker: null,
      attempts: 0,
    });
    // Its worker may still be at it for as long as a lease lasts.
    expect(await next()).toEqual(["b", "transcode"]);
    set("state = 'done' WHERE video_id = 'b'");
    expect(await claim(undefined, Date.now() + 20_000)).toBeUndefined();
    expect(await claim(undefined, Date.now() + 31_000)).toMatchObject({ id: job.id });
  });

  it("are refused with the status of the reason", async () => {
    await addQueued("a");
    const running = (await claim())!;
    const captions = numberOf("a", "captions");
    set("state = 'done' WHERE kind = 'captions'");
    expect(
      await turnedDown([
        ["intent", "now"],
        ["selected", String(running.id)],
      ]),
    ).toMatchObject({ status: 409 });
    expect(
      await turnedDown([
        ["intent", "later"],
        ["selected", captions],
      ]),
    ).toMatchObject({ status: 409 });
    expect(
      await turnedDown([
        ["intent", "now"],
        ["selected", "999999"],
      ]),
    ).toMatchObject({ status: 404 });
    expect(await turnedDown([["intent", "now"]])).toMatchObject({ status: 422 });
    expect(
      await turnedDown([
        ["intent", "now"],
        ["selected", "x"],
      ]),
    ).toMatchObject({ status: 400 });
    expect(await turnedDown([["intent", "burn"]])).toMatchObject({ status: 400 });
    sqliteHandle().exec("DELETE FROM videos");
    expect(
      await turnedDown([
        ["intent", "later"],
        ["selected", captions],
      ]),
    ).toMatchObject({ status: 404 });
    expect(await activities()).toEqual([]);
  });

  it("say of many how many were changed, were not, and are gone", async () => {
    for (const id of ["a", "b"]) await addQueued(id);
    const running = (await claim())!;
    const fields: [string, string][] = [
      ["intent", "now"],
      ...["poster", "ladder"].map((kind): [string, string] => ["selected", numberOf("a", kind)]),
      ["selected", String(running.id)],
      ["selected", "999999"],
    ];
    expect(await said(fields, "/admin/queue?state=waiting")).toBe(
      "2 jobs come first now. 1 job stayed as before. 1 job no longer exists.",
    );
    expect(await activities()).toEqual(["moved 2 jobs of “Video a” to the front of the queue"]);
  });
});

describe.runIf(ffmpegAvailable())("again", () => {
  it("makes what is done anew, and what has failed", async () => {
    await addQueued("a");
    set("state = 'done', finished_at = '2026-01-01', priority = -160, progress = 1");
    set("state = 'failed', reason = 'No.', attempts = 3 WHERE kind = 'ladder'");
    expect(
      await said([
        ["intent", "again"],
        ["selected", numberOf("a", "poster")],
      ]),
    ).toBe("It is tried again.");
    expect(jobRows("a").find(({ kind }) => kind === "poster")).toMatchObject({
      state: "waiting",
      priority: 10,
      finished_at: null,
      progress: 0,
    });
    expect(await said([["intent", "retry"]])).toBe("It is tried again.");
    expect(jobRows("a").find(({ kind }) => kind === "ladder")).toMatchObject({
      state: "waiting",
      attempts: 0,
      reason: null,
    });
    expect(await said([["intent", "retry"]])).toBe("There was nothing to try again.");
  });

  it("makes all of a video anew, from its page and from the list", async () => {
    await addQueued("a");
    addVideo({ id: "b", title: "Video b", video_url: "/media/videos/u/b.mp4" });
    addVideo({ id: "empty", title: "Without a file" });
    set("state = 'done'");
    const states = (id: string) => jobRows(id).filter(({ state }) => state === "waiting").length;
    expect(
      await said(
        [
          ["intent", "again"],
          ["video", "a"],
        ],
        "/admin/queue?video=a",
      ),
    ).toBe("All of this video is made again.");
    expect(states("a")).toBe(7);
    expect(
      await turnedDown([
        ["intent", "again"],
        ["video", "empty"],
      ]),
    ).toMatchObject({ status: 409 });
    expect(
      await turnedDown([
        ["intent", "again"],
        ["video", "gone"],
      ]),
    ).toMatchObject({ status: 404 });
    set("state = 'done'");
    expect(
      await turnedDown([
        ["intent", "later"],
        ["video", "a"],
      ]),
    ).toMatchObject({ status: 409 });
    const bulk = (what: string, selected: string[]) => ({ intent: "bulk", do: what, selected });
    const { toast } = await succeed(bulk("convert-again", ["a", "b", "empty"]));
    expect(toast.description).toBe(
      "2 videos were put into the queue again. 1 video was left alone, because a video without a file can't be converted: “Without a file”.",
    );
    expect([states("a"), states("b"), states("empty")]).toEqual([7, 8, 0]);
    await succeed(bulk("convert-now", ["b"]));
    expect(await next()).toEqual(["b", "transcode"]);
    await succeed(bulk("convert-later", ["b"]));
    expect(await next()).toEqual(["a", "transcode"]);
    expect((await refused(bulk("convert-again", ["empty"]))).status).toBe(422);
    expect((await activities())[0]).toBe("put last in the queue 1 video: “Video b”");
  });
});

describe.runIf(ffmpegAvailable())("a queue that is paused", () => {
  it("takes nothing, also after a restart, and goes on when it is resumed", async () => {
    await addQueued("a");
    expect(await said([["intent", "pause"]])).toBe("Nothing is made until you resume.");
    expect(await claim()).toBeUndefined();
    closeDatabase();
    expect(await claim()).toBeUndefined();
    expect(pausedSince()).toBe((await page()).pausedSince);
    expect(await said([["intent", "pause"]])).toBe("It was paused already.");
    expect(await said([["intent", "resume"]])).toBe("It goes on.");
    expect(await said([["intent", "resume"]])).toBe("It was not paused.");
    expect(await next()).toEqual(["a", "transcode"]);
    expect(await activities()).toEqual(["resumed the queue", "paused the queue"]);
  });
});

describe.runIf(ffmpegAvailable())("a long queue", () => {
  it("is neither read from end to end nor sorted for a page, nor for what is made next", async () => {
    await addQueued("a");
    const prepare = vi.spyOn(sqliteHandle(), "prepare");
    const read = readQueuePage(sqliteHandle());
    for (const state of [undefined, "running", "waiting", "failed"] as const) {
      read({ view: { page: 1, ...(state && { state }) }, atOnce: 1 });
    }
    await claim();
    for (const change of ["again", "now", "later"] as const) jobChanger(change);
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
