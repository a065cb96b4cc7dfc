import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { refusalsOf } from "~/features/consent/validity.server";
import { performDue } from "~/features/library/change-visibility.server";
import { COMPARISON_TIMEOUT_MS } from "~/features/processing/comparison/block-list-matches.server";
import { blockVideo } from "~/features/processing/comparison/blocked-videos.server";
import { releaseCompared, uncomparedOf } from "~/features/processing/comparison/compared.server";
import { hashBlockedVideos } from "~/features/processing/comparison/hash-videos.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { successMessage } from "~/features/upload/upload-fields";
import { HOLD_MESSAGES } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { sendMultipart, useAdminSite } from "../../admin-requests";
import { addToLibrary, jobStates, workUntilIdle } from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import { fileBlob, uploadRequest } from "../../upload-requests";

/** Tests uploads for which the comparison with the block list exceeds its time limit. */

const site = useAdminSite();
const source = (seed: number) =>
  makeClip(site.folder, `video-${seed}`, {
    videoSource: `color=gray:size=16x12:rate=1:duration=8,noise=alls=100:allf=t:all_seed=${seed},scale=160:120:flags=bicubic,fps=10`,
    audio: false,
  });

/** Makes every comparison time out immediately. Jobs aren't affected, because they have no such time limit. */
function beLate(): void {
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((
    work: () => void,
    ms?: number,
    ...rest: []
  ) => setTimeout(work, ms === COMPARISON_TIMEOUT_MS ? 0 : ms, ...rest)) as typeof setTimeout);
}

async function upload(file: string, texts: Record<string, string> = {}) {
  beLate();
  const response = await receiveUpload(uploadRequest(fileBlob(file), texts), "u");
  vi.restoreAllMocks();
  if (!response.ok) throw new Error(response.failure.message);
  return response.video;
}

/** Runs only the jobs that a comparison needs. */
async function workOnComparison(): Promise<void> {
  sqliteHandle().exec(
    "UPDATE jobs SET state = 'done' WHERE kind NOT IN ('storyboard', 'fingerprint')",
  );
  await workUntilIdle();
}

describe.runIf(ffmpegAvailable())("an upload whose comparison takes too long", () => {
  let blocked: string;
  beforeEach(async () => {
    blocked = source(1);
    const id = await addToLibrary(site.uploads, blocked, true);
    const digest = createHash("sha256").update(fs.readFileSync(blocked)).digest("hex");
    sqliteHandle().prepare("INSERT INTO video_digests VALUES (?, ?)").run(id, digest);
    await transaction(() => blockVideo(id, "consent"));
    await hashBlockedVideos();
    sqliteHandle().exec("DELETE FROM videos; DELETE FROM jobs");
  });
  afterEach(() => vi.restoreAllMocks());

  function copyOfBlocked(): string {
    const copy = path.join(site.folder, "copy.mp4");
    const filters = "crop=iw*0.95:ih*0.95,hflip,scale=128:96,pad=128:128:0:16";
    ffmpeg(["-ss", "0.7", "-i", blocked, "-an", "-vf", filters, "-c:v", "libx264", copy]);
    return copy;
  }

  it("is on hold until a job has compared it, and then becomes public", async () => {
    const video = await upload(source(2));
    expect(isPublic(video.id)).toBe(false);
    expect(successMessage(video)).toContain("is on hold until it has been compared");
    expect(refusalsOf([video.id]).get(video.id)).toBe(HOLD_MESSAGES.comparing);
    expect(await releaseCompared()).toBe(0);
    await workOnComparison();
    expect(await releaseCompared()).toBe(1);
    expect(isPublic(video.id)).toBe(true);
  }, 60_000);

  it("is released even if thousands of videos are on hold", async () => {
    sqliteHandle().exec(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
        INSERT INTO videos (id, title, category, status)
        SELECT printf('%04d', n), 'A video', 'desi', 'published' FROM numbers;
      INSERT INTO video_holds (video_id, reason, since)
        SELECT id, 'comparing', '2026-01-01T00:00:00.000Z' FROM videos;
      INSERT INTO jobs (video_id, kind, priority, state)
        SELECT id, 'fingerprint', 0, 'done' FROM videos WHERE id IN ('0001', '1000', '1001', '2000')`);
    expect(await releaseCompared()).toBe(4);
    expect(["0001", "1000", "1001", "2000"].map(isPublic)).toEqual(Array(4).fill(true));
    expect(await releaseCompared()).toBe(0);
    expect(isPublic("0002")).toBe(false);
  });

  it("stays on hold if it resembles a removed video", async () => {
    const { id } = await upload(copyOfBlocked());
    await workOnComparison();
    expect(await releaseCompared()).toBe(1);
    expect(uncomparedOf(id)).toBeUndefined();
    expect(isPublic(id)).toBe(false);
    expect(refusalsOf([id]).get(id)).toBe(HOLD_MESSAGES["block-list"]);
  }, 60_000);

  it("stays a draft if it was uploaded as a draft, and is published if its scheduled time has passed", async () => {
    const draft = await upload(source(2), { intent: "draft" });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const later = await upload(source(3), { publishAt: at });
    await performDue(Date.parse(at) + 1);
    expect(isPublic(later.id)).toBe(false);
    await workOnComparison();
    expect(await releaseCompared()).toBe(2);
    expect([draft, later].map(({ id }) => isPublic(id))).toEqual([false, true]);
  }, 60_000);

  it("stays on hold if the process is killed during the job, until the job is retried", async () => {
    const { id } = await upload(source(2));
    await workOnComparison();
    // The state after the process is killed: the job is recorded as running, but no worker is running it.
    sqliteHandle()
      .prepare(
        `UPDATE jobs SET state = 'running', worker = 'killed', lease_until = '2026-01-01T00:00:00.000Z',
           finished_at = NULL WHERE video_id = ? AND kind = 'fingerprint'`,
      )
      .run(id);
    expect(await releaseCompared()).toBe(0);
    expect(isPublic(id)).toBe(false);
    await workUntilIdle();
    expect(jobStates(id).fingerprint).toBe("done");
    expect(await releaseCompared()).toBe(1);
    expect(isPublic(id)).toBe(true);
  }, 60_000);

  it("is released at the next startup if the process is killed after the job has finished", async () => {
    const { id } = await upload(source(2));
    await workOnComparison();
    expect(isPublic(id)).toBe(false);
    const { startReleasingCompared } = await import(
      "~/features/processing/comparison/compared.server"
    );
    startReleasingCompared();
    await expect.poll(() => isPublic(id)).toBe(true);
  }, 60_000);

  it("is on hold after an import until it has been compared", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(source(2), path.join(folder, "other.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    beLate();
    const summary = await importVideos(plan, { userId: "u", mode: "copy" });
    vi.restoreAllMocks();
    expect(summary.notPublic).toMatchObject([{ reason: HOLD_MESSAGES.comparing }]);
    const shown = sqliteHandle().prepare("SELECT public FROM videos").pluck();
    expect(shown.all()).toEqual([0]);
    await workOnComparison();
    await releaseCompared();
    expect(shown.all()).toEqual([1]);
  }, 60_000);

  it("isn't accepted as a replacement file, but can be sent again", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    const form = new FormData();
    form.set("intent", "replace");
    form.set("id", "v");
    form.set("video", new Blob([new Uint8Array(fs.readFileSync(source(2)))]), "a.mp4");
    beLate();
    const response = (await sendMultipart(form, "/admin?tab=manage&replace=v")) as unknown as {
      data: { studio: { status: number; detail: string } };
    };
    expect(response.data.studio).toMatchObject({
      status: 503,
      detail: expect.stringContaining("Try again in a few minutes"),
    });
  }, 60_000);
});
