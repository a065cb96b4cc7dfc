import fs from "node:fs";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { requireFolder } from "~db/folders.server";

/**
 * The two buckets that hold the files: local disk today. Everything else names a file by its bucket
 * and its path inside it, so that another store needs another version of this module alone.
 */

export const BUCKETS = ["videos", "thumbnails"] as const;
export type Bucket = (typeof BUCKETS)[number];

export interface MediaName {
  bucket: Bucket;
  /** Inside the bucket: `{userId}/{uploadId}.{ext}`, or a derived file in `{userId}/{uploadId}/`. */
  path: string;
}

/** The folders whose files may be in the store. No URL leads into `documents`, whose files are encrypted. */
export const FOLDERS = [...BUCKETS, "documents"] as const;
type Folder = (typeof FOLDERS)[number];

/** A file that may be in the store. */
export interface FileName {
  bucket: Folder;
  path: string;
}

/**
 * Letters that no address has to escape, and no leading dot: one file has one spelling, and no
 * spelling leads out of the bucket.
 */
const PATH = /^[\w~-][\w.~-]{0,254}(?:\/[\w~-][\w.~-]{0,254}){1,7}$/;

const DOCUMENT = /^[\da-f-]{36}$/;

function isBucket(value: string | undefined): value is Bucket {
  return (BUCKETS as readonly (string | undefined)[]).includes(value);
}

/**
 * Creates the folders of the buckets, and the one for temporary files.
 *
 * @throws {FolderError} when UPLOADS_DIR is a file, or cannot be written to.
 */
export function createBuckets(): void {
  for (const name of [...BUCKETS, "tmp"]) {
    requireFolder("UPLOADS_DIR", path.join(settings().uploadsDir, name));
  }
}

/** The bucket and path that a media address names; undefined for every other text. */
export function parseMediaUrl(url: string): MediaName | undefined {
  const [, bucket, path] = /^\/media\/([a-z]+)\/(.+)$/.exec(url) ?? [];
  return isBucket(bucket) && path !== undefined && PATH.test(path) ? { bucket, path } : undefined;
}

export function mediaUrl(bucket: Bucket, path: string): string {
  return `/media/${bucket}/${path}`;
}

/**
 * The absolute path of a file in a bucket, whether or not it is there yet; undefined when the name
 * leads out of the bucket, or over a symbolic link.
 */
export function bucketFile(bucket: Bucket, pathInBucket: string): string | undefined {
  if (!PATH.test(pathInBucket)) return undefined;
  let file = path.resolve(settings().uploadsDir, bucket);
  for (const segment of pathInBucket.split("/")) {
    file = path.join(file, segment);
    // Also of a file that is missing: what does not exist is no link.
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  }
  return file;
}

/** Returns the absolute path of a file; undefined for a name that leads out of its folder, or over a link. */
export function filePath({ bucket, path: name }: FileName): string | undefined {
  if (bucket !== "documents") return bucketFile(bucket, name);
  const file = path.resolve(settings().uploadsDir, bucket, name);
  const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
  return DOCUMENT.test(name) && !isLink ? file : undefined;
}

/** Returns the folder and path of an absolute path; undefined outside the folders of files. */
export function nameOfFile(file: string): FileName | undefined {
  const relative = path.relative(path.resolve(settings().uploadsDir), file);
  const [folder, ...rest] = relative.split(path.sep);
  const bucket = FOLDERS.find((name) => name === folder);
  return bucket && rest.length > 0 ? { bucket, path: rest.join("/") } : undefined;
}

/**
 * `{userId}/{uploadId}`, which the file that was uploaded and everything derived from it share.
 *
 * @example mediaBasePath("u/1700000000000/hls/master.m3u8") // "u/1700000000000"
 */
export function mediaBasePath(pathInBucket: string): string {
  const [user = "", name = ""] = pathInBucket.split("/");
  return `${user}/${name.replace(/\.\w+$/, "")}`;
}
