import type { SoundStream, SubtitleStream } from "../probe/streams";

export const UNKNOWN = "und";

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Such as `English` for `en`; undefined for what is no language. */
export function languageName(language: string): string | undefined {
  try {
    return names.of(language);
  } catch {
    return undefined;
  }
}

/** BCP 47 of what a file says, such as `de` for `ger`; `und` for what is no language. */
export function languageTag(said: string): string {
  try {
    const [tag = UNKNOWN] = Intl.getCanonicalLocales(said.trim().replaceAll("_", "-"));
    return languageName(tag) ? tag : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/**
 * What the title of a track may add to its language. Other words of a title aren't shown: it may name whoever made
 * the video. In the order in which a label has them.
 */
const TITLE_WORDS: [RegExp, string][] = [
  [/\b(?:simplified|traditional|latin american?|european|brazilian|canadian|castilian)\b/i, "$&"],
  [/\b(?:original|dub(?:bed)?)\b/i, "$&"],
  [/\bcommentary\b/i, "Commentary"],
  [/\b(?:audio descri\w+|descriptive)\b/i, "Audio description"],
  [/\bsigns\b/i, "Signs"],
  [/\b(?:songs?|lyrics|karaoke)\b/i, "$&"],
  [/\bfull\b/i, "Full"],
  [/\bforced\b/i, "forced"],
  [/\b(?:sdh|cc|hard of hearing)\b/i, "SDH"],
];

/**
 * Returns what the captions of a file are chosen by: the language, and what the title or a flag adds to it.
 *
 * @param unnamed for a track with neither.
 */
export function captionsLabel(stream: Omit<SubtitleStream, "index">, unnamed = "Captions"): string {
  const found = TITLE_WORDS.flatMap(([words, label]) => {
    const match = words.exec(stream.title)?.[0];
    return match ? [label === "$&" ? capitalized(match) : label] : [];
  });
  const kinds = new Set(found);
  if (stream.forced) kinds.add("forced");
  if (stream.forTheDeaf) kinds.add("SDH");
  const language = languageName(languageTag(stream.language));
  const more = [...kinds].join(", ");
  if (!language) return capitalized(more) || unnamed;
  return more ? `${language} (${more})` : language;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns what an audio track is chosen by, such as `English (Commentary)`. */
export function soundLabel({ language, title }: Pick<SoundStream, "language" | "title">): string {
  return captionsLabel({ language, title, forced: false, forTheDeaf: false }, "Audio");
}

/** The label, with a number behind it when another of the video has it already. */
export function distinctLabel(label: string, taken: ReadonlySet<string>): string {
  if (!taken.has(label)) return label;
  for (let number = 2; ; number++) {
    const numbered = `${label} ${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
