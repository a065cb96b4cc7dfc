import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mediaBasePath, parseMediaUrl } from "~/media/bucket.server";
import { sourceOf } from "~/media/jobs/produce-artifact.server";
import { claim } from "~/media/jobs/queue.server";
import { replaceVideoFile } from "~/media/jobs/replace-video-file.server";
import { trashOf } from "~/media/trash-files.server";
import { removeVideos } from "~/studio/trash/remove.server";
import { finishDeletions } from "~/studio/trash/trash.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, filesBelow, videoRow } from "../encode-library";
import { useTemporarySite } from "../temporary-site";

/** What happens between the row that names the earlier file, and the move of the new one to its place. */
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
  const film = path.join(site.folder, "film.mp4");
  fs.writeFileSync(film, "as it came");
  id = await addToLibrary(site.uploads, film, true);
});
afterEach(async () => {
  meanwhile = async () => {};
  await site.remove();
});

/** Puts a copy in the place of the film, while that is deleted; the files of the trash and what they hold. */
async function replaceWhile(deleted: (url: string) => Promise<void>) {
  const { video_url: url } = videoRow(id);
  const job = (await claim())!;
  const source = (await sourceOf(job))!;
  const made = path.join(site.folder, "made.mp4");
  fs.writeFileSync(made, "as it is played");
  meanwhile = () => deleted(url);
  await replaceVideoFile(job, source, made);
  meanwhile = async () => {};
  await finishDeletions();
  const row = sqliteHandle().prepare('SELECT "row" FROM deleted_videos').pluck().get();
  const { video_url, source_url } = JSON.parse(String(row));
  const read = (named: string) =>
    fs.readFileSync(path.join(trashOf(id), named.replace("/media/", "")), "utf8");
  const inBuckets = filesBelow(site.uploads).filter((file) => !file.startsWith(".trash/"));
  return { played: read(video_url), source: read(source_url), inBuckets };
}

it("a film whose files are in the trash already has both of them there, and what comes late goes", async () => {
  const result = await replaceWhile(async () => {
    await removeVideos([id], "u");
  });
  expect(result).toEqual({ played: "as it came", source: "as it came", inBuckets: [] });
});

it("a film whose files are about to be moved to the trash takes the copy and the original there", async () => {
  const result = await replaceWhile(async (url) => {
    await removeVideos([id], "u");
    // As when the row is in the trash, and its files are not yet.
    const { path: name } = parseMediaUrl(url)!;
    for (const file of [name, mediaBasePath(name)]) {
      const inPlace = path.join(site.uploads, "videos", file);
      fs.renameSync(path.join(trashOf(id), "videos", file), inPlace);
    }
  });
  expect(result).toEqual({ played: "as it is played", source: "as it came", inBuckets: [] });
});
