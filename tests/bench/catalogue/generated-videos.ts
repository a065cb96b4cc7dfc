/** A catalogue of any size, generated from a seed, so that it contains the same videos in each run. */

export interface GeneratedVideo {
  id: string;
  title: string;
  description: string;
  category: string;
  tags: string | null;
  duration: string;
  video_url: string;
  thumbnail_url: string;
  status: string;
  views: number;
  created_at: string;
}

const EVERYDAY =
  "night day summer city beach island train garden hotel kitchen rooftop winter evening morning secret first last real best new hot wild soft long slow big little golden blue red black white silver velvet midnight sunset party dance music story weekend holiday office studio private public backstage lights mirror window balcony pool river mountain forest desert road trip car bus taxi stranger neighbor friend couple teacher doctor nurse chef artist model star dream kiss touch smile laugh tears love heart fire water rain snow storm thunder shadow moon sun sky cloud rose lily orchid diamond pearl lace silk leather cotton coffee wine chocolate honey cherry apple peach the and with for her his from into after before again always never".split(
    " ",
  );
const OTHER_SCRIPTS =
  "ночь лето город любовь мечта утро वीडियो रात शहर प्रेम सपना Élodie café naïve Österreich straße señorita 東京 夜 愛".split(
    " ",
  );
const SYLLABLES =
  "ka ri mo ta len dor vis an el is ur qua zen lor mi sha bel tro nim gar fex hol jin pry wex oda uri eth ona yel".split(
    " ",
  );
const TAG_STEMS =
  "amateur outdoor vintage romantic comedy interview teaser solo couple hd 4k classic short long subtitled music travel beach night city".split(
    " ",
  );
const CATEGORIES = ["desi", "english", "premium", "blacked", "pornstar"];
const LEGACY = ["amateur", "couples", "featured", "professional", "solo"];
const VOCABULARY = 40_000;
const TAGS = 600;
const FIRST_DAY_MS = Date.parse("2022-01-01T00:00:00Z");
const SPAN_MS = 4.5 * 365 * 86_400_000;

/** Returns a mulberry32 generator, which is small, fast and deterministic. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a random rank from 0 to size - 1. The frequency of a rank is about 1 / (rank + 1), as it is for words in a
 * text (Zipf's law).
 */
function skewed(random: () => number, size: number): number {
  return Math.min(size - 1, Math.floor(size ** random()) - 1);
}

function vocabulary(random: () => number): string[] {
  const words = [...EVERYDAY, ...OTHER_SCRIPTS];
  const seen = new Set(words);
  while (words.length < VOCABULARY) {
    const length = 2 + Math.floor(random() * 3);
    let word = "";
    for (let i = 0; i < length; i += 1) {
      word += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
    }
    if (!seen.has(word)) words.push(word);
    seen.add(word);
  }
  return words;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Generates `count` videos, from oldest to newest, spread over four and a half years from the start of 2022. */
export function* generatedVideos(count: number, seed = 1): Generator<GeneratedVideo> {
  const random = randomFrom(seed);
  const words = vocabulary(random);
  const tags = Array.from(
    { length: TAGS },
    (_, i) => TAG_STEMS[i] ?? words[60 + i * 3] ?? `tag ${i}`,
  );
  for (let n = 0; n < count; n += 1) {
    const title = Array.from({ length: 3 + Math.floor(random() * 6) }, () =>
      capitalize(words[skewed(random, words.length)] ?? ""),
    );
    if (random() < 0.3) title.push(`${1 + Math.floor(random() * 2_000)}`);
    const ownTags = new Set<string>();
    for (let i = Math.floor(random() * 7); i > 0; i -= 1) ownTags.add(tags[skewed(random, TAGS)]!);
    const rank = skewed(random, CATEGORIES.length);
    const uploadId = `${1_600_000_000_000 + n}`;
    yield {
      id: `${n.toString(16).padStart(8, "0")}${Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0")}`,
      title: title.join(random() < 0.05 ? " - " : " "),
      description: `${title.join(" ")}. A generated video.`,
      category: (random() < 0.04 ? LEGACY : CATEGORIES)[rank]!,
      tags: ownTags.size > 0 ? JSON.stringify([...ownTags]) : null,
      duration: `${1 + Math.floor(random() ** 2 * 90)}:${String(Math.floor(random() * 60)).padStart(2, "0")}`,
      video_url: `/media/videos/bench/${uploadId}.mp4`,
      thumbnail_url: `/media/thumbnails/bench/${uploadId}.webp`,
      status: random() < 0.03 ? "hidden" : random() < 0.01 ? "review" : "published",
      views: random() < 0.05 ? 0 : Math.floor(2_000_000 ** (random() ** 1.5)),
      // Some videos share a timestamp, like videos created by the same import.
      created_at: new Date(
        FIRST_DAY_MS + Math.floor((n / count) * SPAN_MS) - (n % 10 < 2 ? n % 10 : 0),
      ).toISOString(),
    };
  }
}
