import path from "node:path";
import { MAX_TITLE_LETTERS } from "~/studio/upload-fields";

/**
 * A title from a file name: the ending dropped, what stands for spaces made spaces, the first letter
 * large.
 *
 * @example titleFromFile("late_night-walk.1080p.mp4") // "Late night-walk 1080p"
 */
export function titleFromFile(file: string): string {
  const name = path.basename(file, path.extname(file));
  const words = name
    .normalize("NFC")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    // Dots and underscores between words; a dash is one only where nothing else parts them.
    .replace(/[_.]+/g, " ")
    .replace(/^[^\s]+$/, (whole) => whole.replace(/-+/g, " "))
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_TITLE_LETTERS)
    .trim();
  if (!words) return "Untitled";
  return words[0]!.toLocaleUpperCase("en") + words.slice(1);
}
