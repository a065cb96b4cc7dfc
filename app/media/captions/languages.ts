import type { SoundStream, SubtitleStream } from "../probe/playable";

/** Letters of a label; what stands in a menu has to fit there. */
const LABEL_MOST = 60;
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
 * What the captions of a file are chosen by: the language, and what the title adds to it.
 *
 * @param unnamed of a track that tells neither.
 */
export function captionsLabel(stream: Omit<SubtitleStream, "index">, unnamed = "Captions"): string {
  const language = languageName(languageTag(stream.language));
  const title = cleanTitle(stream.title);
  const words = title.toLowerCase();
  const kind = [
    stream.forced && !words.includes("forced") && "forced",
    stream.forTheDeaf && !/\b(?:sdh|cc|hard of hearing)\b/.test(words) && "SDH",
  ].filter((word) => word !== false);
  const titleAdds = title !== "" && words !== language?.toLowerCase();
  const more = [...(titleAdds && language ? [title] : []), ...kind].join(", ");
  // Many a title begins with the language itself: "English (SDH)".
  const saysAll = language && words.startsWith(language.toLowerCase()) && kind.length === 0;
  if (saysAll && titleAdds) return cut(title);
  const name = language ?? (title || unnamed);
  return cut(more ? `${name} (${more})` : name);
}

/** The same for a sound, such as `English (Commentary)`. */
export function soundLabel({ language, title }: Pick<SoundStream, "language" | "title">): string {
  return captionsLabel({ language, title, forced: false, forTheDeaf: false }, "Sound");
}

/** One line of letters: no control characters, no characters that turn the writing around. */
export function cleanTitle(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function cut(text: string): string {
  const letters = [...text];
  if (letters.length <= LABEL_MOST) return text;
  return `${letters
    .slice(0, LABEL_MOST - 1)
    .join("")
    .trimEnd()}…`;
}

/** The label, with a number behind it when another of the video has it already. */
export function distinctLabel(label: string, taken: ReadonlySet<string>): string {
  if (!taken.has(label)) return label;
  for (let number = 2; ; number++) {
    const numbered = `${label} ${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
