export interface VideoDigestsTable {
  video_id: string;
  /** Of the file that was uploaded, hexadecimal. */
  sha256: string;
}

/** What a film looks like, see `media/fingerprints`. */
export interface VideoFingerprintsTable {
  video_id: string;
  seconds: number;
  /** Empty where too few of its pictures show anything. */
  hashes: Uint8Array;
}

/** Two videos that look alike; the first has the smaller id. */
export interface SimilarVideosTable {
  first: string;
  second: string;
  /** When somebody said that they are not the same, ISO 8601 UTC. */
  dismissed_at: string | null;
}
