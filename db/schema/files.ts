import type { ColumnType, Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

const MEDIA_KINDS = ["video", "source", "thumbnail", "derived"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export interface MediaFilesTable {
  bucket: "videos" | "thumbnails";
  /** Inside the bucket. May be a folder of derived files, whose bytes are the sum. */
  path: string;
  /** Null for a file that no video claims. */
  video_id: string | null;
  kind: MediaKind;
  bytes: number;
  /** 1 once all of its files are in the store; 0 until then, below 0 while they are being moved. */
  stored: Generated<number>;
  /** 1 once it has no metadata about its place, device or author; 0 where nobody has looked. */
  clean: Generated<0 | 1>;
}

/** A file whose bytes are in the store of STORAGE_URL. */
export interface StoredFilesTable {
  bucket: "videos" | "thumbnails" | "documents";
  path: string;
  /** The key of the object. */
  object: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  version: string;
  modified_ms: number;
  type: string;
}

/** One row: the bytes of all media_files. */
export interface StorageTable {
  id: ColumnType<1, never, never>;
  bytes: number;
  /** When the disk was last walked; null when it never was. */
  checked_at: Time | null;
  /** When the last complete look for missing files began; null when there was none. */
  files_looked_at: Time | null;
  /** Repeated in `site.json` of the uploads folder; empty before the first start. */
  site_id: string;
  /** Rises while the site runs, and is repeated there too: a copy of the database is behind. */
  clock: number;
  /** 1 once all files are being brought back to the disk. */
  moving_to_disk: Generated<0 | 1>;
}

/** Videos of which a file was not there when it was last looked for. */
export interface MissingFilesTable {
  /** As in `videos`. */
  number: number;
}
