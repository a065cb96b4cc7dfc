import path from "node:path";
import { bucketFile, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { localFile } from "~/media/files/local-copies.server";
import { linkOrCopy } from "~/shared/move-files.server";
import { type Captions, readCaptions } from "~db/captions";

/**
 * The captions of a video once it has another file: what that file brings, and what somebody has added
 * to the one before, which is copied beside it. What was added goes before what has the same name.
 *
 * @param basePath `{userId}/{uploadId}` of the new file.
 * @param added the column `captions` of the video as it is.
 * @param own that of the new file.
 * @returns the new value of the column.
 */
export async function carryCaptions(
  basePath: string,
  added: string | null,
  own: string | null,
): Promise<string | null> {
  const carried: Captions[] = [];
  for (const each of readCaptions(added)) {
    if (each.added) carried.push({ ...each, url: await copyBeside(each.url, basePath) });
  }
  if (carried.length === 0) return own;
  const labels = new Set(carried.map(({ label }) => label));
  const rest = readCaptions(own).filter(({ label }) => !labels.has(label));
  return JSON.stringify([...rest, ...carried]);
}

/** The address of the copy; that of the file itself where it is none of ours, or gone. */
async function copyBeside(url: string, basePath: string): Promise<string> {
  const name = parseMediaUrl(url);
  const from = name?.bucket === "videos" && bucketFile(name.bucket, name.path);
  const target = `${basePath}/added-captions/${path.basename(url)}`;
  const to = bucketFile("videos", target);
  if (!from || !to) return url;
  try {
    await linkOrCopy(await localFile(from), to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return url;
  }
  return mediaUrl("videos", target);
}
