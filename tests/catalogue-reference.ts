import { STOP_WORDS } from "~/features/catalogue/related-score";

/** A second, simpler implementation of the catalogue's rules. Tests compare the real one with it. */

export interface ReferenceVideo {
  id: string;
  title: string;
  category: string;
  tags: string[] | null;
  status: string;
  views: number;
  /** ISO 8601 UTC */
  created_at: string;
  /** Breaks ties in `created_at`. It increases whenever the video is inserted into the lists again. */
  listingOrder: number;
}

const CURRENT_IDS: Record<string, string> = {
  amateur: "desi",
  professional: "blacked",
  couples: "english",
  solo: "pornstar",
  featured: "premium",
};
/** Returns the current ID of a category that may be stored under its legacy ID. */
export const currentCategory = (category: string) => CURRENT_IDS[category] ?? category;

const VARIANTS: Record<string, string> = { ß: "ss", ł: "l", ø: "o", đ: "d", ı: "i", ς: "σ" };
/** Converts to lowercase, letter by letter, without marks and letter variants. */
export const lower = (text: string) =>
  Array.from(text.normalize("NFKD"), (c) => (/\p{M}/u.test(c) ? "" : c.toLowerCase()))
    .map((c) => VARIANTS[c] ?? c)
    .join("");

const newestFirst = (a: ReferenceVideo, b: ReferenceVideo) =>
  Date.parse(b.created_at) - Date.parse(a.created_at) || b.listingOrder - a.listingOrder;

export function published(videos: Iterable<ReferenceVideo>): ReferenceVideo[] {
  return [...videos].filter(({ status }) => status === "published").sort(newestFirst);
}

export function listed(
  videos: Iterable<ReferenceVideo>,
  { category, search = "" }: { category?: string; search?: string },
): ReferenceVideo[] {
  const needle = lower(search).trim();
  return published(videos).filter(
    (video) =>
      (!category || currentCategory(video.category) === category) &&
      [video.title, ...(video.tags ?? [])].some((text) => lower(text).includes(needle)),
  );
}

export function trending(videos: Iterable<ReferenceVideo>): ReferenceVideo[] {
  return published(videos)
    .filter(({ views }) => views > 0)
    .sort((a, b) => b.views - a.views || newestFirst(a, b));
}

/** Returns the score of a related video, computed word by word as the specification describes. */
export function score(current: ReferenceVideo, candidate: ReferenceVideo, now: number): number {
  const wordsOf = (title: string) => lower(title).split(/[^\p{L}\p{M}\p{N}]+/u);
  const words = new Set(
    wordsOf(current.title).filter((word) => [...word].length > 2 && !STOP_WORDS.has(word)),
  );
  const candidateWords = wordsOf(candidate.title);
  let points = 0;
  for (const word of words) {
    if (lower(candidate.title).includes(word)) points += 5;
    if (candidateWords.includes(word)) points += 3;
  }
  if (currentCategory(current.category) === currentCategory(candidate.category)) points += 8;
  const candidateTags = (candidate.tags ?? []).map(lower);
  for (const tag of new Set((current.tags ?? []).map(lower))) {
    if (candidateTags.includes(tag)) points += 4;
  }
  if (candidate.views > 10_000) points += 2;
  if (candidate.views > 50_000) points += 1;
  if (now - Date.parse(candidate.created_at) <= 30 * 86_400_000) points += 1;
  return points;
}

export function related(
  videos: Iterable<ReferenceVideo>,
  current: ReferenceVideo,
  now: number,
): ReferenceVideo[] {
  return published(videos)
    .filter((video) => video.id !== current.id)
    .map((video) => ({ video, points: score(current, video, now) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || newestFirst(a.video, b.video))
    .slice(0, 20)
    .map(({ video }) => video);
}
