/**
 * The captions of a video, as the column `captions` of its row holds them. A column and not a table, because
 * captions are only read with their video, and go with its row into the trash, backups and back.
 */
export interface Captions {
  /** WebVTT, a path of this site below `/media/`. */
  url: string;
  /** BCP 47, such as `en`; `und` when nobody knows. */
  language: string;
  /** What people choose them by; no two of a video are the same. */
  label: string;
  /** An admin has added them; they did not come with the file. */
  added: boolean;
}

/** What a stored column holds; a list that another tool has written wrongly counts as none. */
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
