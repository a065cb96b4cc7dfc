import fs from "node:fs";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { requireFolder } from "~db/folders.server";

/** The name of a media file: a bucket and a path within it. Only this module converts names to paths on the disk. */

export const BUCKETS = ["videos", "thumbnails"] as const;
export type Bucket = (typeof BUCKETS)[number];

export interface MediaName {
  bucket: Bucket;
  /** The path within the bucket: `{userId}/{uploadId}.{ext}`, or a derived file in `{userId}/{uploadId}/`. */
  path: string;
}

/** The buckets whose files may be in the object store. Files in `documents` have no URLs and are encrypted. */
export const FOLDERS = [...BUCKETS, "documents"] as const;
type Folder = (typeof FOLDERS)[number];

/** The name of a file that may be in the object store. */
export interface FileName {
  bucket: Folder;
  path: string;
}

/**
 * Allows only characters that don't need escaping in URLs, and doesn't allow a leading dot. As a result, each file has
 * exactly one URL, and no path can leave the bucket.
 */
const PATH = /^[\w~-][\w.~-]{0,254}(?:\/[\w~-][\w.~-]{0,254}){1,7}$/;

const DOCUMENT = /^[\da-f-]{36}$/;

function isBucket(value: string | undefined): value is Bucket {
  return (BUCKETS as readonly (string | undefined)[]).includes(value);
}

/**
 * Creates the bucket folders and the folder for temporary files.
 *
 * @throws {FolderError} if UPLOADS_DIR is a file or isn't writable.
 */
export function createBuckets(): void {
  for (const name of [...BUCKETS, "tmp"]) {
    requireFolder("UPLOADS_DIR", path.join(settings().uploadsDir, name));
  }
}

/** Parses a media URL into a bucket and a path; undefined for any other URL. */
export function parseMediaUrl(url: string): MediaName | undefined {
  const [, bucket, path] = /^\/media\/([a-z]+)\/(.+)$/.exec(url) ?? [];
  return isBucket(bucket) && path !== undefined && PATH.test(path) ? { bucket, path } : undefined;
}

export function mediaUrl(bucket: Bucket, path: string): string {
  return `/media/${bucket}/${path}`;
}

/**
 * Returns the absolute path of a file in a bucket, whether or not it exists. Undefined if the path leaves the bucket
 * or contains a symbolic link.
 */
export function bucketFile(bucket: Bucket, pathInBucket: string): string | undefined {
  if (!PATH.test(pathInBucket)) return undefined;
  let file = path.resolve(settings().uploadsDir, bucket);
  for (const segment of pathInBucket.split("/")) {
    file = path.join(file, segment);
    // Missing files are allowed, because a missing file can't be a symbolic link.
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  }
  return file;
}

/** Returns the absolute path of a file; undefined if the path leaves its folder or contains a symbolic link. */
export function filePath({ bucket, path: name }: FileName): string | undefined {
  if (bucket !== "documents") return bucketFile(bucket, name);
  const file = path.resolve(settings().uploadsDir, bucket, name);
  const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
  return DOCUMENT.test(name) && !isLink ? file : undefined;
}

/**
 * Returns the bucket of the file at an absolute path, and its path within the bucket; undefined outside the buckets.
 */
export function nameOfFile(file: string): FileName | undefined {
  const relative = path.relative(path.resolve(settings().uploadsDir), file);
  const [folder, ...rest] = relative.split(path.sep);
  const bucket = FOLDERS.find((name) => name === folder);
  return bucket && rest.length > 0 ? { bucket, path: rest.join("/") } : undefined;
}

/**
 * Returns `{userId}/{uploadId}`, the base path shared by an uploaded file and everything derived from it.
 *
 * @example mediaBasePath("u/1700000000000/hls/master.m3u8") // "u/1700000000000"
 */
export function mediaBasePath(pathInBucket: string): string {
  const [user = "", name = ""] = pathInBucket.split("/");
  return `${user}/${name.replace(/\.\w+$/, "")}`;
}
