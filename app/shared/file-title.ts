import { MAX_TITLE_LENGTH } from "./video-limits";

/**
 * Derives a video's title from its file name, for the form and for imports. Removes the extension, replaces separators
 * with spaces, and capitalizes the first letter. A dash between spaces is kept. The result may be empty.
 *
 * @example titleFromFileName("a_walk-at.night.mp4") // "A walk at night"
 */
export function titleFromFileName(name: string): string {
  const words = name
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .normalize("NFC")
    .replace(/[\p{Cc}\u2028\u2029_.]+/gu, " ")
    .replace(/(\S)-+(?=\S)/g, "$1 ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_TITLE_LENGTH)
    .trim();
  return words.charAt(0).toLocaleUpperCase("en") + words.slice(1);
}
