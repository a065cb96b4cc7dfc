import type { AudioTrack, SubtitleStream } from "../probe/streams";

export const UNKNOWN = "und";

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Returns the English name of a language, such as `English` for `en`; undefined if the code isn't a language. */
export function languageName(language: string): string | undefined {
  try {
    return names.of(language);
  } catch {
    return undefined;
  }
}

/**
 * Returns the BCP 47 tag for a language code found in a file, such as `de` for `ger`; `und` if the code isn't a
 * language.
 */
export function languageTag(code: string): string {
  try {
    const [tag = UNKNOWN] = Intl.getCanonicalLocales(code.trim().replaceAll("_", "-"));
    return languageName(tag) ? tag : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/**
 * Words that are copied from a track's title to its label, in the order in which the label shows them. Other words
 * aren't shown, because the title may contain the name of the video's author.
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
 * Returns the label for captions: the language, with details from the track's title or flags.
 *
 * @param unnamed the label to use if neither the language nor any details are known.
 */
export function captionsLabel(stream: Omit<SubtitleStream, "index">, unnamed = "Captions"): string {
  const found = TITLE_WORDS.flatMap(([words, label]) => {
    const match = words.exec(stream.title)?.[0];
    return match ? [label === "$&" ? capitalized(match) : label] : [];
  });
  const kinds = new Set(found);
  if (stream.forced) kinds.add("forced");
  if (stream.hearingImpaired) kinds.add("SDH");
  const language = languageName(languageTag(stream.language));
  const more = [...kinds].join(", ");
  if (!language) return capitalized(more) || unnamed;
  return more ? `${language} (${more})` : language;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the label for an audio track, such as `English (Commentary)`. */
export function audioLabel({ language, title }: Pick<AudioTrack, "language" | "title">): string {
  return captionsLabel({ language, title, forced: false, hearingImpaired: false }, "Audio");
}

/** Returns the label, with a number appended if it is already taken. */
export function distinctLabel(label: string, taken: ReadonlySet<string>): string {
  if (!taken.has(label)) return label;
  for (let number = 2; ; number++) {
    const numbered = `${label} ${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
