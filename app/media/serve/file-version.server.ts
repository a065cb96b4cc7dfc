import type fs from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { bucketFile, type MediaName, mediaBasePath, parseMediaUrl } from "../bucket.server";
import { storedUnlessNewer } from "../files/local-copies.server";
import { fileExists } from "../media-files.server";

/**
 * A conversion may replace the file behind an address. Whoever watches at that moment has read the
 * index of the earlier file, and asks for ranges of it without saying so (browsers send no If-Range
 * for media). The page therefore gives its player the address with the version of the file in the
 * query, and the earlier file is kept for a while under that version.
 */

/**
 * Changes whenever the file is replaced; also the entity tag, without its quotes. With the inode: a
 * file that replaces another may have its size, and its times if they are kept.
 */
export function versionOf({ size, mtimeNs, ino }: fs.BigIntStats): string {
  return [size, mtimeNs, ino].map((part) => part.toString(36)).join("-");
}

const VERSION = /^[\da-z]{1,13}(?:-[\da-z]{1,13}){2}$/;
const PREFIX = "original-";
/** Of a file with private metadata: it is the source of the video, and only the studio serves it. */
const PRIVATE_PREFIX = "private-";

/** Returns where the version of a video's file that was replaced is kept, inside its bucket. */
export function earlierVersionPath(videoPath: string, version: string, isClean: boolean): string {
  const prefix = isClean ? PREFIX : PRIVATE_PREFIX;
  return `${mediaBasePath(videoPath)}/${prefix}${version}${path.extname(videoPath)}`;
}

export function isEarlierVersion(pathInBucket: string): boolean {
  const isPublic = path.basename(pathInBucket).startsWith(PREFIX);
  return (isPublic || isPrivateVersion(pathInBucket)) && pathInBucket.split("/").length === 3;
}

/** Returns whether it is the name of a file that has private metadata. */
export function isPrivateVersion(pathInBucket: string): boolean {
  return path.basename(pathInBucket).startsWith(PRIVATE_PREFIX);
}

/** The address with the version of its file; as it is where there is no such file. */
export async function withVersion(url: string): Promise<string> {
  const name = parseMediaUrl(url);
  const file = name && bucketFile(name.bucket, name.path);
  const version = file && (await fileVersion(file));
  return version ? `${url}?v=${version}` : url;
}

/** The version of a file, which moving it into the store does not change; undefined where there is none. */
export async function fileVersion(file: string): Promise<string | undefined> {
  const stored = await storedUnlessNewer(file);
  if (stored) return stored.version;
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? versionOf(found) : undefined;
}

/** The earlier file when that version is asked for and still there, else the name itself. */
export function requestedVersion({ bucket, path: name }: MediaName, search: string): MediaName {
  const version = new URLSearchParams(search).get("v");
  if (bucket !== "videos" || !version || !VERSION.test(version)) return { bucket, path: name };
  if (name.split("/").length !== 2) return { bucket, path: name };
  const earlier = earlierVersionPath(name, version, true);
  const file = bucketFile(bucket, earlier);
  return { bucket, path: file && fileExists(file) ? earlier : name };
}
