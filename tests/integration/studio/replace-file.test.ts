import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  activateReady,
  activateReplacement,
} from "~/features/library/files/activate-replacement.server";
import { otherFiles } from "~/features/library/files/other-files.server";
import { action as trashAction, loader as trashLoader } from "~/features/library/routes/trash";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { emptyTrash, purge, TRASH_MS } from "~/features/trash/trash.server";
import { publicFile } from "~/features/visibility/media-access.server";
import { countWatched, readWatchedParts } from "~/features/watch/watched-parts.server";
import { removeFiles } from "~/media/files/removals.server";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle } from "~db/client.server";
import { FILE_COLUMNS, POSTER_COLUMNS } from "~db/video-files";
import {
  addVideo,
  adminCookie,
  expectFailure,
  expectSuccess,
  expectSuccessOf,
  page,
  sendMultipart,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";
import { mp4Clip } from "../../clips";
import {
  addProcessed,
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  jobStates,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { makeClip, truncated } from "../../media-clips";

const site = useAdminSite();
const rows = (sql: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(sql)
    .all(...values);
const one = (sql: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(sql)
    .pluck()
    .get(...values);
const exists = (url: string | null) => fs.existsSync(diskPath(site.uploads, url));
const files = () => filesBelow(site.uploads).filter((name) => !name.startsWith("tmp/"));

function form(file: string, id: string, more: Record<string, string> = {}): FormData {
  const fields = new FormData();
  const texts = { intent: "replace", id, duplicate: "ask", incomplete: "ask", ...more };
  for (const [name, value] of Object.entries(texts)) fields.set(name, value);
  if (file)
    fields.set("video", new Blob([new Uint8Array(fs.readFileSync(file))]), path.basename(file));
  return fields;
}
const address = (id: string) => `/admin?tab=manage&replace=${id}`;
const send = (file: string, id = "v", more: Record<string, string> = {}) =>
  sendMultipart(form(file, id, more), address(id));
async function refusalOf(file: string, id = "v", more: Record<string, string> = {}) {
  const response = (await send(file, id, more)) as unknown as {
    data: {
      studio: { status: number; detail: string; replace?: { question?: { upload: string } } };
    };
    init: { status: number };
  };
  expect(response.init.status).toBe(response.data.studio.status);
  return response.data.studio;
}
const pendingId = (id = "v") => otherFiles(id).pending?.id ?? "";

/** Returns a small clip with the given duration in seconds. */
const source = (seconds: number) =>
  makeClip(site.folder, `video-${seconds}`, { seconds, size: "160x90", frameRate: "10" });

/** Adds a video with a file and a stream of 5 bytes each, and another file that is just as complete. */
function addVideoWithTwoFiles(
  state: "pending" | "earlier" = "pending",
  replacedAt = new Date().toISOString(),
) {
  const of = (base: string) => ({
    video_url: `/media/videos/u/${base}.mp4`,
    hls_url: `/media/videos/u/${base}/hls-1/master.m3u8`,
    thumbnail_url: `/media/thumbnails/u/${base}.webp`,
    generated_poster_url: `/media/thumbnails/u/${base}.webp`,
  });
  addVideo({ ...of("1"), duration: "1:00", views: 7, captions: "[]", bytes: 15 });
  const columns = { id: "n", video_id: "v", state, ...of("2"), duration: "2:00", bytes: 15 };
  const row = { ...columns, replaced_at: state === "earlier" ? replacedAt : null, user_id: "u" };
  const names = Object.keys(row);
  sqliteHandle()
    .prepare(`INSERT INTO video_files (${names}) VALUES (${names.map((name) => `@${name}`)})`)
    .run(row);
  const record = sqliteHandle().prepare(
    "INSERT INTO media_files (bucket, path, video_id, kind, bytes) VALUES (?, ?, ?, ?, 5)",
  );
  for (const [base, owner] of [
    ["1", "v"],
    ["2", "n"],
  ] as const) {
    writeUpload(site.uploads, `videos/u/${base}.mp4`);
    writeUpload(site.uploads, `videos/u/${base}/hls-1/master.m3u8`);
    writeUpload(site.uploads, `thumbnails/u/${base}.webp`);
    record.run("videos", `u/${base}.mp4`, owner, "video");
    record.run("videos", `u/${base}`, owner, "derived");
    record.run("thumbnails", `u/${base}.webp`, owner, "thumbnail");
  }
  sqliteHandle().exec("UPDATE storage SET bytes = 30");
}

it("processes a form only once if it is sent twice, and returns the same result to both requests", async () => {
  addVideo();
  const received = path.join(site.uploads, "tmp", "received");
  fs.copyFileSync(source(2), received);
  const bytes = fs.statSync(received).size;
  const arrived = { path: received, name: "video.mp4", bytes, sha256: "a".repeat(64) };
  const upload = await storeFinishedUpload("u", arrived);
  const submit = () => expectSuccessOf(() => send("", "v", { upload }));
  const [first, second] = await Promise.all([submit(), submit()]);
  expect(second).toEqual(first);
  expect(rows("SELECT action FROM activities WHERE action = 'file-send'")).toHaveLength(1);
});

it("discards a replaced file's unfinished stream, because its encoding job ends", async () => {
  addVideoWithTwoFiles();
  sqliteHandle().exec("UPDATE videos SET video_url = '', source_url = '/media/videos/u/1.mkv'");
  expect(await activateReplacement("n", "u")).toBe("done");
  expect(video()).toMatchObject({ hls_url: "/media/videos/u/2/hls-1/master.m3u8" });
  expect(rows("SELECT state, hls_url, source_url FROM video_files")).toEqual([
    { state: "earlier", hls_url: null, source_url: "/media/videos/u/1.mkv" },
  ]);
});

it("counts watched parts from zero for a new file, and restores the counts with a restored file", async () => {
  addVideoWithTwoFiles();
  const parts = (first: number) => [first, ...Array<number>(19).fill(0)];
  countWatched("v", `1${"0".repeat(19)}`);
  countWatched("v", `1${"0".repeat(19)}`);
  expect(await activateReplacement("n", "u")).toBe("done");
  expect(readWatchedParts("v")).toEqual({ views: 0, parts: parts(0) });
  countWatched("v", `1${"0".repeat(19)}`);
  const earlier = one("SELECT id FROM video_files WHERE state = 'earlier'") as string;
  expect(await activateReplacement(earlier, "u")).toBe("done");
  expect(readWatchedParts("v")).toEqual({ views: 2, parts: parts(2) });
  const newer = one("SELECT id FROM video_files WHERE state = 'earlier'") as string;
  expect(await activateReplacement(newer, "u")).toBe("done");
  expect(readWatchedParts("v")).toEqual({ views: 1, parts: parts(1) });
});

it("re-encodes additional codecs for the new file's stream", async () => {
  addVideoWithTwoFiles();
  sqliteHandle().exec(
    "INSERT INTO jobs (video_id, kind, priority, state, worker) VALUES ('v', 'codecs', 60, 'running', 'w')",
  );
  expect(await activateReplacement("n", "u")).toBe("done");
  expect(rows("SELECT state, worker FROM jobs WHERE video_id = 'v' AND kind = 'codecs'")).toEqual([
    { state: "waiting", worker: null },
  ]);
});

describe.runIf(ffmpegAvailable())("replacing a video's file", () => {
  it("keeps the old file until the new one is fully processed, and can restore it", async () => {
    const id = addProcessed(site.uploads, "counting");
    sqliteHandle().prepare("UPDATE videos SET views = 9 WHERE id = ?").run(id);
    const before = videoRow(id);
    expect(before).toMatchObject({ duration: "0:05", generated_poster_url: before.thumbnail_url });

    const { toast } = await expectSuccessOf(() => send(source(2), id));
    expect(toast.description).toBe("Visitors see the old file until the new one is ready.");
    expect(videoRow(id)).toEqual(before);
    await activateReady();
    expect(videoRow(id)).toEqual(before);
    const { manage } = (await page(address(id))) as never as {
      manage: { files: { pending: unknown; jobs: { waiting: number } } };
    };
    expect(manage.files).toMatchObject({ pending: { duration: "0:02", by: "a@b.c" } });
    expect(manage.files.jobs.waiting).toBeGreaterThan(5);
    const isNew = String(one("SELECT video_url FROM video_files"));
    expect([publicFile(before.video_url), publicFile(isNew)]).toEqual([
      before.video_url,
      undefined,
    ]);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });

    await workUntilIdle();
    expect(videoRow(id)).toEqual(before);
    await activateReady();
    const after = videoRow(id);
    expect(after).toMatchObject({ duration: "0:02", views: 9, video_url: isNew });
    for (const column of ["hls_url", "storyboard_url", "preview_url", "thumbnail_url"] as const) {
      expect(after[column]).not.toBe(before[column]);
      expect(exists(after[column])).toBe(true);
      expect(publicFile(String(before[column]))).toBeUndefined();
    }
    expect(otherFiles(id)).toMatchObject({ earlier: [{ duration: "0:05", bytes: before.bytes }] });
    expect(one("SELECT sum(bytes) FROM media_files WHERE video_id = ?", id)).toBe(after.bytes);
    expect(jobStates(id).fingerprint).toBe("waiting");
    await workUntilIdle();
    expect(jobRows(id).every(({ state, kind }) => state === "done" || kind === "cleanup")).toBe(
      true,
    );
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
    expect((await listActivities({ subjectId: id })).map(({ action }) => action)).toEqual([
      "replace",
      "file-send",
    ]);

    const [earlier] = otherFiles(id).earlier;
    await expectSuccess({ intent: "restore-file", id, file: earlier!.id });
    const pick = (row: typeof before) =>
      [...FILE_COLUMNS, ...POSTER_COLUMNS, "bytes", "views"].map((name) => row[name as never]);
    expect(pick(videoRow(id))).toEqual(pick(before));
    expect(otherFiles(id).earlier).toMatchObject([{ duration: "0:02", bytes: after.bytes }]);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
  });

  it("requires confirmation for duplicate and incomplete files", async () => {
    addVideo();
    const whole = source(3);
    await expectSuccessOf(() => send(whole));
    expect((await refusalOf(whole)).detail).toMatch(/^Another file is being processed/);
    await activateReplacement(pendingId(), "u");
    expect(video()).toMatchObject({ duration: "0:00" });
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind = 'transcode'");
    await activateReplacement(pendingId(), "u");
    expect(video()).toMatchObject({ duration: "0:03" });
    const same = await refusalOf(whole);
    expect(same).toMatchObject({
      status: 409,
      detail: "Duplicate of “A video”.",
      replace: { question: { kind: "duplicate" } },
    });
    const { upload } = same.replace!.question!;
    await expectSuccess({
      intent: "replace",
      id: "v",
      upload,
      duplicate: "keep",
      incomplete: "ask",
    });
    await expectSuccess({ intent: "discard-file", id: "v", file: pendingId() });

    const long = path.join(site.folder, "long.mp4");
    fs.copyFileSync(mp4Clip(5), long);
    const cut = await refusalOf(truncated(long, 0.6));
    expect(cut).toMatchObject({ status: 409, replace: { question: { kind: "incomplete" } } });
    const kept = { upload: cut.replace!.question!.upload, duplicate: "keep", incomplete: "keep" };
    await expectSuccess({ intent: "replace", id: "v", ...kept });
    expect(pendingId()).not.toBe("");
  });

  it("rejects a file that isn't a video, a missing file, and a nonexistent video, and leaves no files behind", async () => {
    addVideo();
    const text = path.join(site.folder, "notes.mp4");
    fs.writeFileSync(text, "no video at all".repeat(1_000));
    expect((await refusalOf(text)).status).toBe(415);
    expect((await refusalOf("")).status).toBe(422);
    expect((await refusalOf(source(1), "w")).status).toBe(404);
    expect(rows("SELECT 1 FROM video_files")).toEqual([]);
    expect(files()).toEqual([]);
  });

  it("continues after its video is restored from the trash", async () => {
    const id = await addToLibrary(site.uploads, source(1), true);
    sqliteHandle().exec("DELETE FROM jobs");
    await expectSuccessOf(() => send(source(2), id));
    await removeVideos([id], "u");
    expect(rows("SELECT 1 FROM jobs")).toEqual([]);
    await activateReady();
    expect(pendingId(id)).not.toBe("");
    await restoreVideos([id], "u");
    const jobs = "FROM jobs WHERE state = 'waiting' AND video_id = ?";
    expect(one(`SELECT count(*) ${jobs}`, pendingId(id))).toBeGreaterThan(5);
    sqliteHandle().exec("UPDATE jobs SET state = 'done'");
    await activateReady();
    expect(videoRow(id).duration).toBe("0:02");
  });
});

describe("switching to the new file", () => {
  it("keeps a custom thumbnail, and carries over uploaded captions", async () => {
    addVideoWithTwoFiles();
    const captions = (base: string) => `/media/videos/u/${base}/added-captions/en-1.vtt`;
    writeUpload(site.uploads, captions("1").replace("/media/", ""));
    const added = [{ url: captions("1"), language: "en", label: "English", added: true }];
    sqliteHandle()
      .prepare("UPDATE videos SET generated_poster_url = NULL, captions = ?")
      .run(JSON.stringify(added));
    const own = { url: "/media/videos/u/2/captions-1/1.vtt", added: false };
    sqliteHandle()
      .prepare("UPDATE video_files SET captions = ?")
      .run(JSON.stringify([{ ...own, language: "en", label: "English" }]));
    await activateReady();
    expect(video()).toMatchObject({
      video_url: "/media/videos/u/2.mp4",
      thumbnail_url: "/media/thumbnails/u/1.webp",
      captions: JSON.stringify([{ ...added[0], url: captions("2") }]),
    });
    expect([exists(captions("1")), exists(captions("2"))]).toEqual([true, true]);
    await removeFiles();
    expect(exists("/media/thumbnails/u/2.webp")).toBe(false);
    await emptyTrash(Date.now() + TRASH_MS + 1_000);
    await removeFiles();
    expect([exists(captions("1")), exists(captions("2"))]).toEqual([false, true]);
    expect(exists("/media/thumbnails/u/1.webp")).toBe(true);
  });

  it("doesn't happen while jobs are unfinished or failed, or the file can't be played", async () => {
    addVideoWithTwoFiles();
    const job = sqliteHandle().prepare(
      "INSERT INTO jobs (video_id, kind, priority, state) VALUES ('n', ?, 1, ?)",
    );
    for (const [kind, state] of [
      ["preview", "waiting"],
      ["ladder", "failed"],
      ["transcode", "running"],
    ] as const) {
      job.run(kind, state);
      await activateReady();
      expect(pendingId()).toBe("n");
      if (kind === "transcode")
        expect((await expectFailure({ intent: "use-file", id: "v", file: "n" })).status).toBe(409);
      sqliteHandle().exec("DELETE FROM jobs");
    }
    sqliteHandle().exec("UPDATE video_files SET source_url = video_url, video_url = ''");
    await activateReady();
    expect(pendingId()).toBe("n");
    expect(video()?.video_url).toBe("/media/videos/u/1.mp4");
  });

  it("works without a stream when an admin requests it, and the stream is added later", async () => {
    addVideoWithTwoFiles();
    sqliteHandle().exec(
      `UPDATE video_files SET hls_url = NULL;
       INSERT INTO jobs (video_id, kind, priority, state, worker) VALUES ('n', 'ladder', 1, 'running', 'w')`,
    );
    await expectSuccess({ intent: "use-file", id: "v", file: "n" });
    expect(video()).toMatchObject({ video_url: "/media/videos/u/2.mp4", hls_url: null });
    const ladder = rows("SELECT state FROM jobs WHERE video_id = 'v' AND kind = 'ladder'");
    expect(ladder).toEqual(ffmpegAvailable() ? [{ state: "waiting" }] : []);
    expect((await expectFailure({ intent: "use-file", id: "v", file: "n" })).status).toBe(404);
  });

  it("makes the old file private immediately: its URL redirects to the current file", async () => {
    addVideoWithTwoFiles();
    const [file, stream] = ["/media/videos/u/1.mp4", "/media/videos/u/1/hls-1/master.m3u8"];
    expect([publicFile(file), publicFile(stream)]).toEqual([file, stream]);
    await activateReady();
    expect([publicFile(file), publicFile(stream)]).toEqual(["/media/videos/u/2.mp4", undefined]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect([publicFile(file), publicFile(stream)]).toEqual([undefined, undefined]);
  });
});

describe("a replaced file", () => {
  it("is no longer counted in disk usage once purged from the trash, while its URL still redirects to the video", async () => {
    addVideoWithTwoFiles("earlier");
    await emptyTrash(Date.now() + TRASH_MS - 60_000);
    expect(otherFiles("v").earlier).toHaveLength(1);
    await emptyTrash(Date.now() + TRASH_MS + 1_000);
    await removeFiles();
    expect(files()).toEqual([
      "thumbnails/u/1.webp",
      "videos/u/1.mp4",
      "videos/u/1/hls-1/master.m3u8",
    ]);
    expect(one("SELECT bytes FROM storage")).toBe(15);
    expect(publicFile("/media/videos/u/2.mp4")).toBe("/media/videos/u/1.mp4");
    expect(otherFiles("v").earlier).toEqual([]);
    expect((await expectFailure({ intent: "restore-file", id: "v", file: "n" })).status).toBe(404);
  });

  it("is kept while its video is in the trash, and is purged with the video", async () => {
    addVideoWithTwoFiles("earlier");
    await removeVideos(["v"], "u");
    expect((await expectFailure({ intent: "restore-file", id: "v", file: "n" })).status).toBe(404);
    await emptyTrash();
    expect(exists("/media/videos/u/2.mp4")).toBe(true);
    await purge(["v"]);
    await removeFiles();
    expect(rows("SELECT 1 FROM video_files")).toEqual([]);
    expect(files()).toEqual([]);
    expect(one("SELECT bytes FROM storage")).toBe(0);
  });

  it("is found when another tool deletes its video, even among more rows than a single round checks", async () => {
    addVideoWithTwoFiles("earlier");
    sqliteHandle().exec(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
        INSERT INTO video_files (id, video_id, state) SELECT 'other' || n, 'kept', 'removed' FROM numbers;
      INSERT INTO videos (id, title, category) VALUES ('kept', 'Another video', 'desi');
      DELETE FROM videos WHERE id = 'v'`);
    await emptyTrash();
    await removeFiles();
    expect(exists("/media/videos/u/2.mp4")).toBe(true);
    await emptyTrash();
    await removeFiles();
    expect(exists("/media/videos/u/2.mp4")).toBe(false);
    expect(one("SELECT count(*) FROM video_files")).toBe(3_000);
    sqliteHandle().exec("DELETE FROM videos");
    await emptyTrash();
    await emptyTrash();
    expect(one("SELECT count(*) FROM video_files")).toBe(0);
  });
});

describe("the Trash page", () => {
  async function trash(address: string) {
    const request = new Request(`http://localhost${address}`, {
      headers: { Cookie: adminCookie() },
    });
    return trashLoader({ request, params: {}, context: {} });
  }
  function sendToTrash(fields: Record<string, string>) {
    const request = new Request("http://localhost/admin/trash?show=files", {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Cookie: adminCookie(), Origin: "http://localhost", Host: "localhost" },
    });
    return trashAction({ request, params: {}, context: {} });
  }

  it("lists replaced files with their size, and restores them", async () => {
    addVideoWithTwoFiles("earlier");
    expect((await trash("/admin/trash")).trash).toMatchObject({
      videos: [],
      files: [],
      totalFiles: { files: 1, bytes: 15 },
    });
    const { trash: found, view } = await trash("/admin/trash?show=files&search=VIDEO");
    expect(view).toMatchObject({ files: true, search: "VIDEO" });
    expect(found).toMatchObject({
      found: 1,
      files: [{ id: "n", title: "A video", duration: "2:00", bytes: 15, deletedBy: "a@b.c" }],
    });
    expect((await trash("/admin/trash?show=files&search=other")).trash.files).toEqual([]);
    const { location } = await expectSuccessOf(() =>
      sendToTrash({ intent: "restore-file", id: "v", file: "n" }),
    );
    expect(location).toBe("/admin/trash?show=files");
    expect(video()?.video_url).toBe("/media/videos/u/2.mp4");
  });

  it("requires confirmation before it purges one or all files", async () => {
    addVideoWithTwoFiles("earlier");
    const form = { intent: "purge-file", file: "n" };
    expect(await sendToTrash(form)).toMatchObject({
      data: { confirmation: { ids: ["n"], ofFiles: true, titles: ["A video"], bytes: 15 } },
    });
    expect(otherFiles("v").earlier).toHaveLength(1);
    await removeVideos(["v"], "u");
    const until = new Date(Date.now() + 1_000).toISOString();
    const { toast } = await expectSuccessOf(() => sendToTrash({ intent: "empty", until }));
    expect(toast.description).toBe("1 video was permanently deleted.");
    await removeFiles();
    expect(exists("/media/videos/u/2.mp4")).toBe(false);
    addVideoWithTwoFiles("earlier", "2026-01-01T00:00:00.000Z");
    const only = await expectSuccessOf(() => sendToTrash({ ...form, confirmed: "1" }));
    expect(only.toast.description).toBe("1 earlier file was permanently deleted.");
    expect((await listActivities())[0]).toMatchObject({ action: "file-purge", detail: "A video" });
    await removeFiles();
    expect(exists("/media/videos/u/2.mp4")).toBe(false);
    expect(exists("/media/videos/u/1.mp4")).toBe(true);
  });
});

describe("the columns of the `videos` table", () => {
  it("belong to either the file or the video", () => {
    const own = [
      "id",
      "number",
      "title",
      "description",
      "category",
      "tags",
      "uploaded_by",
      "status",
    ];
    own.push("views", "created_at", "updated_at", "bytes");
    own.push("publish_at", "unpublish_at", "ready_at", "held");
    const columns = (sqliteHandle().pragma("table_info(videos)") as { name: string }[]).map(
      ({ name }) => name,
    );
    expect(columns.sort()).toEqual([...own, ...FILE_COLUMNS, ...POSTER_COLUMNS].sort());
  });
});
