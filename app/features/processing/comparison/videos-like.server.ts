import type { Database } from "better-sqlite3";
import { findInIndex, indexOfFilms } from "./blocked-index.server";
import type { Frames } from "./compare";

/** Compared in one question to the thread; others have their turn in between. */
const VIDEOS_AT_ONCE = 500;

interface Question {
  /** The numbers of the first film and of the last one; without a last one, all that follow. */
  from: number;
  to?: number;
  /** Videos after this id. */
  after: string;
}

export interface Answer {
  found: { videoId: string; films: number[] }[];
  last: string | undefined;
}

/** The videos of the site that look like some films of the list. Runs on a thread. */
export function readVideosLike(sqlite: Database) {
  const videos = sqlite.prepare<[string], Frames & { id: string }>(
    `SELECT video_id AS id, first, step, frames AS hashes FROM video_frames
     WHERE video_id > ? ORDER BY video_id LIMIT ${VIDEOS_AT_ONCE}`,
  );
  const films = sqlite.prepare<
    [number, number],
    { id: number; first: number; step: number; frames: Buffer }
  >("SELECT id, first, step, frames FROM blocked_films WHERE id BETWEEN ? AND ? AND frames <> x''");
  let index: { from: number; to: number; films: ReturnType<typeof indexOfFilms> } | undefined;
  return ({ from, to = Number.MAX_SAFE_INTEGER, after }: Question): Answer => {
    if (after === "" || index?.from !== from || index.to !== to)
      index = { from, to, films: indexOfFilms(films.iterate(from, to)) };
    const rows = videos.all(after);
    const found = rows
      .map((row) => ({ videoId: row.id, films: findInIndex(sqlite, index!.films, row) }))
      .filter(({ films: like }) => like.length > 0);
    const last = rows.length < VIDEOS_AT_ONCE ? undefined : rows.at(-1)?.id;
    if (last === undefined) index = undefined;
    return { found, last };
  };
}
