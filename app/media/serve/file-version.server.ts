import type fs from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { bucketFile, type MediaName, mediaBasePath, parseMediaUrl } from "../bucket.server";
import { storedUnlessNewer } from "../files/local-copies.server";
import { fileExists } from "../media-files.server";

/**
 * A conversion may replace the file at a URL while a player that has read the index of the previous file still requests
 * ranges of it. Browsers don't send If-Range for media, so such a request wouldn't specify which version it needs.
 * Pages therefore add the file's version to the URL's query, and the previous file stays available for a while under
 * its own version.
 */

/**
 * Returns a file's version, which changes whenever the file is replaced. It is also the file's entity tag, without
 * quotes. It contains the inode, because a replacement may have the same size and modification time.
 */
export function versionOf({ size, mtimeNs, ino }: fs.BigIntStats): string {
  return [size, mtimeNs, ino].map((part) => part.toString(36)).join("-");
}

const VERSION = /^[\da-z]{1,13}(?:-[\da-z]{1,13}){2}$/;
const PREFIX = "original-";
/**
 * The prefix for previous versions with private metadata, which are kept as the video's source. Only the studio serves
 * them.
 */
const PRIVATE_PREFIX = "private-";

/** Returns the path at which a replaced version of a video file is kept, within the file's bucket. */
export function earlierVersionPath(videoPath: string, version: string, isClean: boolean): string {
  const prefix = isClean ? PREFIX : PRIVATE_PREFIX;
  return `${mediaBasePath(videoPath)}/${prefix}${version}${path.extname(videoPath)}`;
}

export function isEarlierVersion(pathInBucket: string): boolean {
  const isPublic = path.basename(pathInBucket).startsWith(PREFIX);
  return (isPublic || isPrivateVersion(pathInBucket)) && pathInBucket.split("/").length === 3;
}

/** Whether a path belongs to a previous version with private metadata. */
export function isPrivateVersion(pathInBucket: string): boolean {
  return path.basename(pathInBucket).startsWith(PRIVATE_PREFIX);
}

/** Adds the file's version to its URL; returns the URL unchanged if there is no such file. */
export async function withVersion(url: string): Promise<string> {
  const name = parseMediaUrl(url);
  const file = name && bucketFile(name.bucket, name.path);
  const version = file && (await fileVersion(file));
  return version ? `${url}?v=${version}` : url;
}

/**
 * Returns a file's version, which stays the same when the file is moved into the store; undefined if there is no such
 * file.
 */
export async function fileVersion(file: string): Promise<string | undefined> {
  const stored = await storedUnlessNewer(file);
  if (stored) return stored.version;
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? versionOf(found) : undefined;
}

/**
 * Returns the name of the previous file if its version is requested and still exists; otherwise, returns the name
 * unchanged.
 */
export function requestedVersion({ bucket, path: name }: MediaName, search: string): MediaName {
  const version = new URLSearchParams(search).get("v");
  if (bucket !== "videos" || !version || !VERSION.test(version)) return { bucket, path: name };
  if (name.split("/").length !== 2) return { bucket, path: name };
  const earlier = earlierVersionPath(name, version, true);
  const file = bucketFile(bucket, earlier);
  return { bucket, path: file && fileExists(file) ? earlier : name };
}
