import type { Readable } from "node:stream";
import type { ByteRange } from "~/shared/byte-range";

/**
 * Where the bytes of files are when STORAGE_URL is set: an S3-compatible store, or another folder. Keys
 * are never used again for other bytes, so what was read under one stays true.
 */
export interface ObjectStore {
  /**
   * Stores a file of this machine, whole or not at all.
   *
   * @param contentType what the store says of it to who asks without the site; a folder says nothing.
   * @returns its SHA-256, hexadecimal, as it was read; the store has acknowledged the same bytes.
   * @throws {StorageError}
   */
  put(key: string, file: string, contentType?: string): Promise<{ sha256: string; bytes: number }>;
  /**
   * @param signal ends the request when it is aborted, also while the body is read.
   * @throws {StorageError} "missing" when there is no such object.
   */
  get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
  /** Undefined when there is no such object. */
  head(key: string): Promise<{ bytes: number } | undefined>;
  /** What is not there is no error. */
  remove(key: string): Promise<void>;
  list(): AsyncIterable<StoredObject>;
  /** An address from which whoever has it reads the object for some seconds; undefined where there are none. */
  presign(key: string, seconds: number, contentType: string): Promise<string | undefined>;
  /** What processes that were killed have left half sent, begun before a moment in milliseconds: its keys. */
  unfinished(before: number): Promise<string[]>;
  /** Ends the same. How many there were. */
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
  away: "The file store does not answer.",
  denied: "The file store refuses the keys, or has no such bucket.",
  full: "The file store is full.",
  missing: "The file is not in the file store.",
  foreign:
    "The file store doesn't match this site's database. Check DATABASE_PATH and STORAGE_URL.",
  invalidPath:
    "The file can't be stored in UPLOADS_DIR, because its path contains a symbolic link.",
  damaged: "The file store has received other bytes than were sent.",
};

export class StorageError extends Error {
  constructor(
    readonly failure: StorageFailure,
    detail = "",
  ) {
    super(detail ? `${MESSAGES[failure]} (${detail})` : MESSAGES[failure]);
    this.name = "StorageError";
  }

  /** Whether another attempt would fail too. */
  get isPermanent(): boolean {
    return ["missing", "damaged", "invalidPath"].includes(this.failure);
  }
}

/** Whether the store or the disk failed, so that another attempt may succeed. */
export function isTemporaryFailure(error: unknown): boolean {
  if (error instanceof StorageError) return !error.isPermanent;
  return (error as NodeJS.ErrnoException).code === "ENOSPC";
}
