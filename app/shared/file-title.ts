import { MAX_TITLE_LENGTH } from "./video-limits";

/**
 * A title for a video from the name of its file, for the form and the import alike: the ending
 * dropped, what stands for spaces made spaces, the first letter large. A dash with spaces around it
 * stays. Empty when nothing is left.
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
