import type { Generated } from "kysely";

/** Why a film was blocked: the kinds of reports. */
export const BLOCK_REASONS = ["copyright", "consent", "under-age", "private", "other"] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

export interface BlockedFilmsTable {
  id: Generated<number>;
  /** Of the film that was removed here; it may be gone. Null for what was imported. */
  video_id: string | null;
  reason: BlockReason;
  /** ISO 8601 UTC. */
  blocked_at: string;
  /**
   * `waiting`: the file is kept until its frames are hashed. `few`: hashing failed, and only frames from an earlier
   * comparison are known. `none`: only its bytes are known.
   */
  state: "waiting" | "ready" | "few" | "none";
  /** The path of the file in the bucket `videos`. */
  file: Generated<string | null>;
  attempts: Generated<number>;
  /** Of an imported list of digests; null for a film. */
  digests: Generated<number | null>;
  /** Of the video that was removed here, until REPORT_KEEP after that; of a list of digests, the name of its file. */
  title: Generated<string | null>;
  /** When it was removed from the list, ISO 8601 UTC; null while it is on it. */
  removed_at: Generated<string | null>;
  /** Seconds to the first frame. */
  first: Generated<number>;
  /** Seconds between two frames. */
  step: Generated<number>;
  /** See `blockedFrame` in `media/block-list`. */
  frames: Generated<Uint8Array>;
}

export interface BlockedFilesTable {
  /** Hexadecimal. */
  sha256: string;
  film_id: number;
}

export interface BlockedMd5sTable {
  /** Hexadecimal. */
  md5: string;
  film_id: number;
}

/** A video that looks like a blocked film. */
export interface BlockedLikenessesTable {
  video_id: string;
  film_id: number;
  /** ISO 8601 UTC. */
  found_at: string;
  /** When somebody said that it is another film, ISO 8601 UTC. */
  dismissed_at: string | null;
}

/** What a film shows, to be compared with blocked ones. */
export interface VideoFramesTable {
  video_id: string;
  /** Seconds to the first frame. */
  first: number;
  /** Seconds between two frames. */
  step: number;
  /** See `comparedFrame` in `media/block-list`. */
  frames: Uint8Array;
}
