import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  activateReady,
  activateReplacement,
} from "~/features/library/files/activate-replacement.server";
import { otherFiles } from "~/features/library/files/other-files.server";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import { readSourceStatistics } from "~/features/operations/statistics/statistics.server";
import { queueView } from "~/features/processing/queue/summaries.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { emptyTrash, TRASH_MS } from "~/features/trash/trash.server";
import { isUploadersFile, publicFile } from "~/features/visibility/media-access.server";
import { readCues } from "~/media/captions/cues";
import { removeFiles } from "~/media/files/removals.server";
import { trimSource } from "~/media/files/trim-source.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { readCaptions } from "~db/captions";
import { sqliteHandle } from "~db/client.server";
import { FILE_COLUMNS } from "~db/video-files";
import {
  addVideo,
  expectFailure,
  expectSuccess,
  page,
  send,
  useAdminSite,
  video,
  writeUpload,
} from "../../../admin-requests";
import { countingVideo, frameNumbers } from "../../../counting-video";
import {
  addProcessed,
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  onlyJobs,
  videoRow,
  workUntilIdle,
} from "../../../encode-library";

const site = useAdminSite();
const rows = (sql: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(sql)
    .all(...values);
const address = (id: string) => `/admin?tab=manage&trim=${id}`;
const trim = (id: string, start: string, end: string) =>
  expectSuccess({ intent: "trim", id, start, end }, address(id));
const refusalOf = (id: string, start: string, end: string) =>
  expectFailure({ intent: "trim", id, start, end }, address(id));

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const playing = (id: string) => diskPath(site.uploads, videoRow(id).video_url);
const captionTexts = (id: string) =>
  readCaptions(videoRow(id).captions).map(({ label, url }) => [
    label,
    ...readCues(fs.readFileSync(diskPath(site.uploads, url), "utf8")).map(
      ({ start, end, text }) => `${start.toFixed(1)}-${end.toFixed(1)} ${text}`,
    ),
  ]);

/** Uploads a video without processing it. */
async function addUnprocessed(): Promise<string> {
  const id = await addToLibrary(site.uploads, countingVideo(site.folder), true);
  sqliteHandle().exec("DELETE FROM jobs");
  return id;
}

async function finish(): Promise<void> {
  await workUntilIdle();
  await activateReady();
}

function addCaptions(id: string, label: string, cues: string): void {
  const url = `${videoRow(id).video_url.replace(/\.\w+$/, "")}/captions-${label}.vtt`;
  fs.writeFileSync(diskPath(site.uploads, url), `WEBVTT\n\n${cues}`);
  const all = [...readCaptions(videoRow(id).captions)];
  all.push({ url, language: "en", label, added: false });
  sqliteHandle()
    .prepare("UPDATE videos SET captions = ? WHERE id = ?")
    .run(JSON.stringify(all), id);
}

describe.runIf(ffmpegAvailable())("trimming a video", () => {
  it("keeps the exact frames, always starts from the original, and restores it unchanged", async () => {
    const id = addProcessed(site.uploads, "counting");
    addCaptions(
      id,
      "English",
      "00:00.000 --> 00:01.500\nBefore\n\n00:01.000 --> 00:02.000\nOver\n\n00:04.000 --> 00:04.900\nLate\n",
    );
    sqliteHandle().prepare("UPDATE videos SET views = 9 WHERE id = ?").run(id);
    const before = videoRow(id);
    const bytes = fs.readFileSync(playing(id));

    const { toast } = await trim(id, "0:01.2", "3");
    expect(toast.description).toBe(
      "The current version stays online until the trimmed one is ready.",
    );
    expect(videoRow(id)).toEqual(before);
    expect((await refusalOf(id, "0", "2")).status).toBe(409);
    expect((await queueView()).waiting[0]?.label).toBe("Trimmed version: Trimming");
    await activateReady();
    expect(videoRow(id)).toEqual(before);
    await finish();
    const cut = videoRow(id);
    expect(cut).toMatchObject({ duration: "0:02", views: 9, cut_start: 1.2, cut_end: 3 });
    expect(frameNumbers(playing(id))).toEqual(from(12, 29));
    expect(captionTexts(id)).toEqual([["English", "0.0-0.3 Before", "0.0-0.8 Over"]]);
    for (const column of ["hls_url", "storyboard_url", "preview_url", "thumbnail_url"] as const) {
      expect(cut[column]).not.toBe(before[column]);
      expect(fs.existsSync(diskPath(site.uploads, cut[column]))).toBe(true);
    }
    expect(cut.loudness).not.toBeNull();
    // Runs the remaining jobs, which compare the current file with other videos.
    await workUntilIdle();
    expect(jobRows(id).every(({ state, kind }) => state === "done" || kind === "cleanup")).toBe(
      true,
    );
    const { original, earlier } = otherFiles(id);
    expect([original?.duration, earlier]).toEqual(["0:05", []]);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
    expect(rows("SELECT sum(bytes) AS bytes FROM media_files")).toEqual(
      rows("SELECT bytes FROM storage"),
    );

    // The original isn't in the trash, so it isn't purged.
    await emptyTrash(Date.now() + 2 * TRASH_MS);
    expect(otherFiles(id).original?.id).toBe(original?.id);
    const dialog = (await page(address(id))).manage;
    expect(dialog?.trim).toMatchObject({
      url: before.video_url,
      duration: "0:05",
      range: { start: 1.2, end: 3 },
    });
    expect(dialog?.trim?.frames.length).toBeGreaterThan(0);

    addCaptions(id, "Commentary", "00:00.000 --> 00:00.500\nHere\n");
    await trim(id, "", "0:04.5");
    onlyJobs("transcode", "captions", "ladder");
    await finish();
    expect(frameNumbers(playing(id))).toEqual(from(0, 44));
    expect(captionTexts(id)).toEqual([
      ["English", "0.0-1.5 Before", "1.0-2.0 Over", "4.0-4.5 Late"],
      ["Commentary", "1.2-1.7 Here"],
    ]);
    expect(otherFiles(id).original?.duration).toBe("0:05");
    expect(otherFiles(id).earlier).toMatchObject([{ range: { start: 1.2, end: 3 } }]);

    await expectSuccess({ intent: "undo-trim", id });
    const pick = (row: typeof before) => FILE_COLUMNS.map((name) => row[name]);
    expect(pick(videoRow(id))).toEqual(pick(before));
    expect(fs.readFileSync(playing(id)).equals(bytes)).toBe(true);
    expect(otherFiles(id).original).toBeUndefined();
    expect(otherFiles(id).earlier).toHaveLength(2);
    expect((await expectFailure({ intent: "undo-trim", id })).status).toBe(409);
    expect((await listActivities({ subjectId: id })).map(({ action }) => action)).toEqual([
      ...["cut-undo", "cut", "cut-ask", "cut", "cut-ask"],
    ]);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });

    // The trim is redone by restoring its file from the trash.
    const again = otherFiles(id).earlier.find(({ range }) => range?.start === 1.2);
    await expectSuccess({ intent: "restore-file", id, file: again!.id });
    expect(otherFiles(id).original?.duration).toBe("0:05");
    expect(frameNumbers(playing(id))).toEqual(from(12, 29));
  });

  it("uses the uploaded file even if a converted copy is played", async () => {
    const mkv = countingVideo(site.folder, "mkv");
    const id = await addToLibrary(site.uploads, mkv, false, { duration: "0:05" });
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    const { source_url, video_url } = videoRow(id);
    expect(source_url).toMatch(/\.mkv$/);
    fs.rmSync(diskPath(site.uploads, video_url));
    await trim(id, "2", "4");
    await finish();
    expect(frameNumbers(playing(id))).toEqual(from(20, 39));
    expect(videoRow(id).source_url).toBeNull();
    await expectSuccess({ intent: "undo-trim", id });
    expect(videoRow(id)).toMatchObject({ source_url, video_url });
  });

  it("rejects an invalid range, with a message for each field", async () => {
    const id = await addUnprocessed();
    const files = filesBelow(site.uploads);
    for (const [start, end, field, message] of [
      ["soon", "3", "start", "Enter a position in the video, such as 1:30."],
      ["NaN", "3", "start", "Enter a position in the video, such as 1:30."],
      ["-1", "3", "start", "Enter a position in the video, such as 1:30."],
      ["9:00", "", "start", "This position is after the end of the video."],
      ["", "1e9", "end", "Enter a position in the video, such as 1:30."],
      ["", "0:07", "end", "This position is after the end of the video."],
      ["3", "2", "end", "The end must be after the start."],
      ["3", "3", "end", "The end must be after the start."],
      ["3", "3.5", "end", "The trimmed video must be at least one second long."],
    ] as const) {
      const failed = await refusalOf(id, start, end);
      expect(failed).toMatchObject({
        status: 422,
        trim: { typed: { start, end }, fields: { [field]: message } },
      });
    }
    // A video of 5.5 seconds is shown as 0:06.
    expect((await refusalOf(id, "", "0:06")).detail).toBe(
      "This is the full length of the video, so there is nothing to trim.",
    );
    expect(rows("SELECT 1 FROM video_files")).toEqual([]);
    expect(filesBelow(site.uploads)).toEqual(files);
  });

  it("rejects a video that is being converted, has no file, has lost its file, or doesn't exist", async () => {
    const id = await addToLibrary(site.uploads, countingVideo(site.folder), true);
    expect((await refusalOf(id, "1", "3")).detail).toMatch(/still being processed/);
    sqliteHandle().exec("DELETE FROM jobs");
    fs.rmSync(playing(id));
    expect(await refusalOf(id, "1", "3")).toMatchObject({
      status: 409,
      detail: "This video’s file is missing or can’t be read.",
    });
    addVideo({ id: "none" });
    expect((await refusalOf("none", "1", "3")).detail).toMatch(/no file on this site/);
    expect((await page(address("none"))).manage?.trim?.url).toBeUndefined();
    addVideo({ id: "else", video_url: "https://elsewhere.example/a.mp4" });
    expect((await refusalOf("else", "1", "3")).status).toBe(409);
    expect((await refusalOf("gone", "1", "3")).status).toBe(404);
    expect((await expectFailure({ intent: "undo-trim", id: "gone" })).status).toBe(404);
  });

  it("is enqueued only once when it is requested from two tabs", async () => {
    const id = await addUnprocessed();
    const requestTrim = (start: string) =>
      send({ intent: "trim", id, start, end: "4" }).catch((thrown) => thrown);
    const responses = await Promise.all(["1", "2"].map(requestTrim));
    const statuses = responses.map((response) => response.status ?? response.init.status);
    expect(statuses.sort()).toEqual([302, 409]);
    expect(rows("SELECT state FROM video_files")).toEqual([{ state: "pending" }]);
    const reserved = fs.readdirSync(diskPath(site.uploads, "/media/videos/u"));
    expect(reserved.filter((name) => !name.includes("."))).toHaveLength(1);
  });

  it("leaves nothing behind when it is discarded, and continues after its video is restored", async () => {
    const id = await addUnprocessed();
    const files = filesBelow(site.uploads);
    await trim(id, "1", "3");
    // The trim's upload ID stays reserved while the trim is queued.
    const folder = diskPath(site.uploads, "/media/videos/u");
    const reserved = fs.readdirSync(folder).find((name) => !name.includes("."))!;
    fs.utimesSync(path.join(folder, reserved), 0, 0);
    expect((await checkLibrary()).stray).toEqual([]);
    const pending = () => otherFiles(id).pending?.id ?? "";
    expect((await expectFailure({ intent: "use-file", id, file: pending() })).status).toBe(409);
    await expectSuccess({ intent: "discard-file", id, file: pending() });
    await removeFiles();
    expect(filesBelow(site.uploads)).toEqual(files);
    expect(fs.readdirSync(folder)).toHaveLength(1);

    await trim(id, "1", "3");
    await removeVideos([id], "u");
    await restoreVideos([id], "u");
    const waiting = rows("SELECT kind FROM jobs WHERE video_id = ?", pending());
    expect(waiting).toEqual(expect.arrayContaining([{ kind: "transcode" }]));
    expect(waiting).not.toEqual(expect.arrayContaining([{ kind: "captions" }]));
    // The trim's original no longer exists, so a retry can't help.
    sqliteHandle().prepare("DELETE FROM jobs WHERE video_id = ?").run(id);
    fs.rmSync(playing(id));
    await workUntilIdle();
    expect(
      rows("SELECT state FROM jobs WHERE kind = 'transcode' AND video_id = ?", pending()),
    ).toEqual([{ state: "failed" }]);
    expect(otherFiles(id).pending?.hasFailed).toBe(true);
  });
});

describe("the original of a trimmed video", () => {
  /** Adds a video that was trimmed from u/1 and has another file in the trash. */
  function addCut(): void {
    const of = (base: string) => `/media/videos/u/${base}.mp4`;
    addVideo({ video_url: of("2"), cut_of: "u/1", cut_start: 1, cut_end: 3, captions: "[]" });
    const insert = sqliteHandle().prepare(
      `INSERT INTO video_files (id, video_id, state, video_url, replaced_at, captions)
       VALUES (?, 'v', ?, ?, ?, '[]')`,
    );
    insert.run("o", "original", of("1"), new Date().toISOString());
    insert.run("e", "earlier", of("3"), new Date().toISOString());
  }
  const states = () =>
    Object.fromEntries(
      (
        rows("SELECT video_url, state FROM video_files") as { video_url: string; state: string }[]
      ).map(({ video_url, state }) => [video_url.slice(-5, -4), state]),
    );

  it("moves to the trash when the video gets another file, and returns with the trimmed file", async () => {
    addCut();
    await activateReplacement("e", "u");
    expect(states()).toEqual({ 1: "earlier", 2: "earlier" });
    expect(video()).toMatchObject({ cut_of: null, cut_start: null });
    const cut = rows("SELECT id FROM video_files WHERE video_url LIKE '%2.mp4'") as {
      id: string;
    }[];
    await activateReplacement(cut[0]!.id, "u");
    expect(states()).toEqual({ 1: "original", 3: "earlier" });
    expect(video()).toMatchObject({ cut_of: "u/1", cut_start: 1, cut_end: 3 });
  });

  it("is counted in disk usage", async () => {
    addCut();
    sqliteHandle().exec("UPDATE video_files SET bytes = 5");
    expect((await readSourceStatistics()).cut).toEqual({ videos: 1, bytes: 5 });
  });

  it("is found in whichever row refers to it while a trimmed file is being created", async () => {
    addCut();
    writeUpload(site.uploads, "videos/u/1.mp4");
    sqliteHandle().exec(
      `INSERT INTO video_files (id, video_id, state, created_at, cut_of, cut_start, cut_end)
       VALUES ('p', 'v', 'pending', '2026-11-01T10:00:00.000Z', 'u/1', 2, 4)`,
    );
    const found = { url: "/media/videos/u/1793527200000.mp4", trim: { start: 2, end: 4 } };
    expect(trimSource("p")).toMatchObject(found);
    await activateReplacement("e", "u");
    expect(trimSource("p")).toMatchObject(found);
    expect((await expectFailure({ intent: "undo-trim", id: "v" })).status).toBe(409);
    sqliteHandle().exec("UPDATE video_files SET state = 'removed' WHERE video_url LIKE '%1.mp4'");
    expect(trimSource("p")).toBeUndefined();
  });

  it("can be seen by the video's uploader, but not by other uploaders", () => {
    addCut();
    sqliteHandle().exec(
      `UPDATE videos SET uploaded_by = 'u';
       INSERT INTO media_files (bucket, path, video_id, kind, bytes) VALUES ('videos', 'u/1.mp4', 'o', 'video', 5)`,
    );
    const name = { bucket: "videos", path: "u/1.mp4" } as const;
    expect([isUploadersFile(name, "u"), isUploadersFile(name, "w")]).toEqual([true, false]);
  });

  it("can be missing, in which case the trimmed file becomes an ordinary file", async () => {
    addCut();
    await activateReplacement("e", "u");
    sqliteHandle().exec("DELETE FROM video_files WHERE video_url LIKE '%1.mp4'");
    const cut = rows("SELECT id FROM video_files") as { id: string }[];
    await activateReplacement(cut[0]!.id, "u");
    expect(video()).toMatchObject({ cut_of: null, cut_start: null, cut_end: null });
    expect(states()).toEqual({ 3: "earlier" });
  });

  it("can't be purged, and isn't public: its URL redirects to the trimmed file", async () => {
    addCut();
    await emptyTrash(Date.now() + 2 * TRASH_MS);
    expect(states()).toMatchObject({ 1: "original" });
    const url = "/media/videos/u/1.mp4";
    expect(publicFile(url)).toBe("/media/videos/u/2.mp4");
    expect(publicFile("/media/videos/u/1/hls-1/master.m3u8")).toBeUndefined();
  });
});
