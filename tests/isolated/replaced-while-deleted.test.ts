import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { replaceVideoFile } from "~/features/processing/queue/commit-artifact.server";
import { sourceOf } from "~/features/processing/queue/produce-artifact.server";
import { claim } from "~/features/processing/queue/queue.server";
import { removeVideos } from "~/features/trash/remove.server";
import { purge } from "~/features/trash/trash.server";
import { removeFiles } from "~/media/files/removals.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, diskPath, filesBelow } from "../encode-library";
import { useTemporarySite } from "../temporary-site";

/** Runs after the row for the previous file is written and before the new file is moved into place. */
let meanwhile = async () => {};
vi.mock("~/shared/move-files.server", async (original) => {
  const real = await original<typeof import("~/shared/move-files.server")>();
  const moveFlushed: typeof real.moveFlushed = async (from, to) => {
    await meanwhile();
    return real.moveFlushed(from, to);
  };
  return { ...real, moveFlushed };
});

let site: ReturnType<typeof useTemporarySite>;
let id: string;
beforeEach(async () => {
  site = useTemporarySite();
  const video = path.join(site.folder, "video.mp4");
  fs.writeFileSync(video, "original");
  id = await addToLibrary(site.uploads, video, true);
});
afterEach(async () => {
  meanwhile = async () => {};
  await site.remove();
});

/** Runs `work` while the video's file is being replaced with its copy. */
async function replaceWhile(work: () => Promise<void>): Promise<void> {
  const job = (await claim())!;
  const source = (await sourceOf(job))!;
  const copy = path.join(site.folder, "copy.mp4");
  fs.writeFileSync(copy, "playable copy");
  meanwhile = work;
  await replaceVideoFile(job, source, copy);
  meanwhile = async () => {};
  await removeFiles();
}

it("keeps the playable copy and the original of a video deleted during conversion until it is purged", async () => {
  await replaceWhile(async () => {
    await removeVideos([id], "u");
  });
  const row = sqliteHandle().prepare('SELECT "row" FROM deleted_videos').pluck().get();
  const { video_url, source_url } = JSON.parse(String(row));
  const read = (url: string) => fs.readFileSync(diskPath(site.uploads, url), "utf8");
  expect([read(video_url), read(source_url)]).toEqual(["playable copy", "original"]);
  await purge([id]);
  await removeFiles();
  expect(filesBelow(path.join(site.uploads, "videos"))).toEqual([]);
});

it("leaves no files behind if the video is purged during conversion", async () => {
  await replaceWhile(async () => {
    await removeVideos([id], "u");
    await purge([id]);
  });
  expect(filesBelow(path.join(site.uploads, "videos"))).toEqual([]);
});
