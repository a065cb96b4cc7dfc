import type { Readable } from "node:stream";
import type { ByteRange } from "~/shared/byte-range";

/**
 * The storage for files if STORAGE_URL is set: an S3-compatible store or another folder. Keys are never reused for
 * different content, so objects are immutable.
 */
export interface ObjectStore {
  /**
   * Stores a local file atomically.
   *
   * @param contentType the Content-Type for requests that go directly to the store; folders ignore it.
   * @returns the SHA-256 of the bytes that were read and acknowledged by the store, in hexadecimal, and their number.
   * @throws {StorageError}
   */
  put(key: string, file: string, contentType?: string): Promise<{ sha256: string; bytes: number }>;
  /**
   * @param signal aborts the request, even while the body is being read.
   * @throws {StorageError} `missing` if there is no such object.
   */
  get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
  /** Returns the size of an object; undefined if there is no such object. */
  head(key: string): Promise<{ bytes: number } | undefined>;
  /** Removes an object. A missing object isn't an error. */
  remove(key: string): Promise<void>;
  list(): AsyncIterable<StoredObject>;
  /**
   * Returns a presigned URL that is valid for the given number of seconds; undefined if the store doesn't support that.
   */
  presign(key: string, seconds: number, contentType: string): Promise<string | undefined>;
  /** Returns the keys of incomplete uploads that began before a given time (milliseconds since the epoch). */
  unfinished(before: number): Promise<string[]>;
  /** Aborts incomplete uploads that began before a given time, and returns their number. */
  removeUnfinished(before: number): Promise<number>;
}

export interface StoredObject {
  key: string;
  bytes: number;
  modifiedMs: number;
}

export type StorageFailure =
  | "away"
  | "denied"
  | "full"
  | "missing"
  | "damaged"
  | "foreign"
  | "invalidPath";

const MESSAGES: Record<StorageFailure, string> = {
  away: "The file store isn't responding.",
  denied: "The file store rejected the access keys, or the bucket doesn't exist.",
  full: "The file store is full.",
  missing: "The file is not in the file store.",
  foreign:
    "The file store doesn't match this site's database. Check DATABASE_PATH and STORAGE_URL.",
  invalidPath:
    "The file can't be stored in UPLOADS_DIR, because its path contains a symbolic link.",
  damaged: "The file store's data doesn't match the original file.",
};

export class StorageError extends Error {
  constructor(
    readonly failure: StorageFailure,
    detail = "",
  ) {
    super(detail ? `${MESSAGES[failure]} (${detail})` : MESSAGES[failure]);
    this.name = "StorageError";
  }

  /** Whether retrying would fail again. */
  get isPermanent(): boolean {
    return ["missing", "damaged", "invalidPath"].includes(this.failure);
  }
}

/** Whether the store or the disk failed, so that another attempt may succeed. */
export function isTemporaryFailure(error: unknown): boolean {
  if (error instanceof StorageError) return !error.isPermanent;
  return (error as NodeJS.ErrnoException).code === "ENOSPC";
}
