import type { Database } from "better-sqlite3";
import { looksAlike, wordsOf } from "./perceptual-hash";

/** Of the longer one: what a film may lack of another that it looks like. */
const MOST_CUT = 0.2;

export interface Film {
  videoId: string;
  seconds: number;
  /** See `fingerprintOf`. */
  fingerprint: Uint8Array;
}

/** The ids of the videos whose films look like one. Runs on a thread: it reads those of about its length. */
export function readSimilarFilms(sqlite: Database) {
  const films = sqlite.prepare<unknown[], { id: string; hashes: Buffer }>(/* sql */ `
    SELECT video_id AS id, hashes FROM video_fingerprints
    WHERE seconds BETWEEN @least AND @most AND hashes <> x'' AND video_id <> @videoId`);
  return ({ videoId, seconds, fingerprint }: Film): string[] => {
    if (fingerprint.length === 0) return [];
    const own = wordsOf(fingerprint);
    const found: string[] = [];
    const lengths = { least: seconds * (1 - MOST_CUT), most: seconds / (1 - MOST_CUT) };
    for (const { id, hashes } of films.iterate({ ...lengths, videoId })) {
      if (looksAlike(own, wordsOf(hashes))) found.push(id);
    }
    return found;
  };
}
