import fs from "node:fs/promises";
import path from "node:path";
import { LRUCache } from "lru-cache";
import { settings } from "~/platform/settings.server";
import { moveFlushed } from "~/shared/move-files.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import {
  bucketFile,
  type FileName,
  type MediaName,
  mediaBasePath,
  mediaUrl,
  parseMediaUrl,
} from "../bucket.server";
import { localFile, storedUnlessNewer } from "../files/local-copies.server";
import { enqueueRemovals, removeUnreferenced } from "../files/removals.server";
import { withTemporaryPath } from "../files/temporary-files.server";
import { ImageError, type ImageFailure, processImage } from "../images/process-image.server";
import { recordFile } from "../media-files.server";

/**
 * Thumbnails are up to 1280 pixels wide, but cards show them 150 to 600 pixels wide, or as wide as a phone's screen.
 * With `?w=480` or `?w=720`, each thumbnail's URL returns a smaller version. That version is created on the first
 * request; until it exists, the thumbnail itself is returned.
 */
const SMALL_WIDTHS_PIXELS = [480, 720];
/** The maximum number of queued versions. Beyond that, versions aren't queued, but a later request may queue them. */
const MAX_QUEUED = 200;
/** The number of unreadable thumbnails that are remembered, so that they aren't retried on each request. */
const MAX_REMEMBERED = 10_000;
/** The failures that would recur if the thumbnail were read again. */
const LASTING: readonly ImageFailure[] = ["unreadable", "too many pixels"];

const resizing = processState(
  "small thumbnails",
  () => ({
    waiting: new Set<string>(),
    /** The modification times of unreadable thumbnails, by path, because a file may be replaced with a readable one. */
    unreadable: new LRUCache<string, number>({ max: MAX_REMEMBERED }),
    /** Versions are created one at a time, so that an upload's thumbnail waits for at most one of them. */
    last: Promise.resolve(),
  }),
  ({ last }) => last,
);

/** Returns the file to serve for a requested name. The caller has checked access. */
export async function requestedWidth(name: MediaName, search: string): Promise<MediaName> {
  const requested = new URLSearchParams(search).get("w");
  const width = SMALL_WIDTHS_PIXELS.find((width) => String(width) === requested);
  if (!width || name.bucket !== "thumbnails" || name.path.split("/").length !== 2) return name;
  const small = smallVersion(name, width);
  const [original, resized] = [await writtenAt(name), await writtenAt(small)];
  if (original === undefined) return name;
  if (resized !== undefined && resized >= original) return small;
  if (resizing().unreadable.get(name.path) !== original) resizeSoon(name, width, original);
  return name;
}

/**
 * Returns the name of a smaller version, which is in the thumbnail's folder. For `u/1.webp`, it is `u/1/480.webp.webp`.
 */
function smallVersion({ bucket, path: name }: MediaName, width: number): MediaName {
  const extension = path.extname(name);
  return { bucket, path: `${mediaBasePath(name)}/${width}${extension}.webp` };
}

/** Whether a file is a smaller version, which is recreated if it is missing. */
export function isSmallVersion({ bucket, path: name }: FileName): boolean {
  const [width = ""] = path.posix.basename(name).split(".");
  const isInFolder = bucket === "thumbnails" && name.split("/").length === 3;
  return isInFolder && SMALL_WIDTHS_PIXELS.some((each) => String(each) === width);
}

/** Resolves when all versions requested so far are done. */
export function smallThumbnailsCreated(): Promise<void> {
  return resizing().last;
}

function resizeSoon(name: MediaName, width: number, original: number): void {
  const small = smallVersion(name, width);
  const state = resizing();
  const { waiting, unreadable } = state;
  // A read replica shows the versions that its primary has created.
  if (settings().readOnlyFrom) return;
  if (waiting.has(small.path) || waiting.size >= MAX_QUEUED) return;
  waiting.add(small.path);
  state.last = state.last
    .then(() => resize(name, small, width))
    // Thumbnails that can't be read are served unchanged. After other failures, such as a full disk, a later request
    // retries.
    .catch((error) => {
      if (error instanceof ImageError && LASTING.includes(error.failure))
        unreadable.set(name.path, original);
    })
    .finally(() => waiting.delete(small.path));
}

async function resize(name: MediaName, small: MediaName, width: number): Promise<void> {
  const [from, to] = [name, small].map(({ bucket, path }) => bucketFile(bucket, path));
  if (!from || !to) return;
  await withTemporaryPath(async (target) => {
    await processImage({ kind: "thumbnail", file: await localFile(from), target, width });
    await moveFlushed(target, to);
  });
  const owner = prepared<string>("SELECT id FROM videos WHERE thumbnail_url = ?").pluck();
  const videoId = owner.get(mediaUrl(name.bucket, name.path));
  // If the video was deleted in the meantime, nothing else would remove it.
  if (videoId === undefined) await removeUnreferenced([small], "discarded");
  else await recordFile({ ...folderOf(name), videoId, kind: "derived" });
}

/**
 * Enqueues the removal of a replaced thumbnail and its folder, as part of the transaction that changes the row. Also
 * enqueues the removal of its smaller versions, in case the folder is still used.
 */
export function removeReplacedThumbnail(url: string | null): void {
  const name = parseMediaUrl(url ?? "");
  if (!name) return;
  const small = SMALL_WIDTHS_PIXELS.map((width) => smallVersion(name, width));
  enqueueRemovals([name, folderOf(name), ...small], { reason: "replaced" });
}

function folderOf({ bucket, path: name }: MediaName): MediaName {
  return { bucket, path: mediaBasePath(name) };
}

async function writtenAt({ bucket, path }: MediaName): Promise<number | undefined> {
  const file = bucketFile(bucket, path);
  if (!file) return undefined;
  const stored = await storedUnlessNewer(file);
  return stored?.modifiedMs ?? (await fs.stat(file).catch(() => undefined))?.mtimeMs;
}
