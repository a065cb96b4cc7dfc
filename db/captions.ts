/**
 * One caption track in the column `captions` of a video. They are in a column and not a table, because they are only
 * read with their video, and move with its row to the trash, to backups and back.
 */
export interface Captions {
  /** A WebVTT file, as a path below `/media/`. */
  url: string;
  /** BCP 47, such as `en`; `und` if unknown. */
  language: string;
  /** Shown in the caption menu. Unique within a video. */
  label: string;
  /** Whether an admin uploaded it, as opposed to a track of the video file. */
  added: boolean;
}

/** Returns the captions in a stored column. Entries that another tool wrote in a wrong format are skipped. */
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
