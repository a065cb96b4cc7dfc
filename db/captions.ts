/**
 * One caption track in the `captions` column of a video. Captions are stored in a column instead of a table, because
 * they are always read together with their video and move with the video's row to the trash, to backups and back.
 */
export interface Captions {
  /** The path of a WebVTT file, below `/media/`. */
  url: string;
  /** The language (BCP 47), such as `en`; `und` if it is unknown. */
  language: string;
  /** The label in the caption menu, which is unique within a video. */
  label: string;
  /** Whether an admin uploaded the track; false if it was extracted from the video file. */
  added: boolean;
}

/** Returns the captions in a stored column. Entries that another tool wrote in an invalid format are skipped. */
export function readCaptions(column: string | null): Captions[] {
  let list: unknown;
  try {
    list = JSON.parse(column ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: Partial<Captions> | null) => {
    const { url, language, label, added } = entry ?? {};
    const texts = [url, language, label].every((text) => typeof text === "string" && text !== "");
    return texts ? [{ url, language, label, added: added === true } as Captions] : [];
  });
}
