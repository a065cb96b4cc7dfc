import { prepared, transaction } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { holdLikeness, noteLikeness } from "./likeness.server";
import type { Answer } from "./videos-like.server";

/**
 * Compares the videos of the site with films of the list, and notes those that look like one: the page of the
 * list names them.
 *
 * @param from the number of the first film.
 * @param holds whether they are held until somebody has looked at them.
 * @param to the number of the last film; all that follow if it is left out.
 * @returns how many.
 */
export async function compareSite(from: number, holds: boolean, to?: number): Promise<number> {
  let last: string | undefined = "";
  let count = 0;
  while (last !== undefined) {
    const answer: Answer = await queryThread<Answer>("studio", "videos-like-blocked", {
      from,
      to,
      after: last,
    });
    for (const { videoId, films } of answer.found) {
      const others = films.filter((film) => !isOwnFilm(videoId, film));
      if (others.length === 0) continue;
      count += 1;
      await transaction(() =>
        holds ? holdLikeness(videoId, others) : noteLikeness(videoId, others),
      );
    }
    last = answer.last;
  }
  return count;
}

function isOwnFilm(videoId: string, film: number): boolean {
  return (
    prepared("SELECT 1 FROM blocked_films WHERE id = ? AND video_id = ?").get(film, videoId) !==
    undefined
  );
}
