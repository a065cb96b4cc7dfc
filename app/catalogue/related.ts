import { toCategoryId } from "./categories";
import { parseTime } from "./format";

/** How alike two videos are (specification, section 9; product decisions). */

const DAYS_30_MS = 30 * 86_400_000;
const SHORTEST_WORD = 3;

/** Words that say nothing about a video. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  "the and for are but not you all any can had her was one our out day get has him his how its may new now old see two way who did with from this that have will your what when were been they them then than there their which would about into over just also more some such only very of to in on at by an is it as or be we me my he so up no do if".split(
    " ",
  ),
);

export interface ScoredVideo {
  title: string;
  category: string;
  tags: string[];
  views: number;
  createdAt: string;
}

/** The different words of a title: runs of letters and digits in lower case. */
export function words(title: string): Set<string> {
  return new Set(title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
}

/** The words of a title that count: longer than two characters and no stop words. */
export function titleWords(title: string): Set<string> {
  return new Set(
    [...words(title)].filter((word) => [...word].length >= SHORTEST_WORD && !STOP_WORDS.has(word)),
  );
}

/** The score of a candidate beside a subject whose title words are `subjectWords`. */
export function relatedScore(
  subject: ScoredVideo,
  subjectWords: Set<string>,
  candidate: ScoredVideo,
  now: number,
): number {
  let score = 0;
  const title = candidate.title.toLowerCase();
  const candidateWords = words(candidate.title);
  for (const word of subjectWords) {
    if (!title.includes(word)) continue;
    score += candidateWords.has(word) ? 8 : 5;
  }
  if (toCategoryId(candidate.category) === toCategoryId(subject.category)) score += 8;
  const tags = new Set(candidate.tags.map((tag) => tag.toLowerCase()));
  for (const tag of new Set(subject.tags.map((tag) => tag.toLowerCase()))) {
    if (tags.has(tag)) score += 4;
  }
  if (candidate.views > 10_000) score += 2;
  if (candidate.views > 50_000) score += 1;
  if (now - parseTime(candidate.createdAt) <= DAYS_30_MS) score += 1;
  return score;
}
