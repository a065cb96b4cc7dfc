/**
 * The file in which visitors carry what their browser stores to another browser: saved videos by id, and beside
 * them the watch history and the preferences. Files of earlier versions have the saved videos alone.
 */

export const SAVED_FILE_NAME = "saved-videos.json";
/** 500 saved videos, 500 watched ones and 100 positions are a tenth of it. */
export const SAVED_FILE_MAX_BYTES = 256 * 1024;
const TYPE = "saved-videos";
const ID_MAX_LENGTH = 200;

interface SavedFile {
  ids: string[];
  /** How many entries are no ids. */
  ignored: number;
  /** What else the browser stored, by field. */
  data?: Record<string, unknown>;
}

/** @param fields what the browser stores. */
export function savedFile({ saved = [], ...data }: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ type: TYPE, version: 1, videos: saved, data }, null, 2)}\n`;
}

/** Returns the ids of a file, each once, in its order; undefined when it is no such file. Anybody may have written it. */
export function parseSavedFile(text: string): SavedFile | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof file !== "object" || file === null) return undefined;
  const { type, version, videos, data } = file as Record<string, unknown>;
  if (type !== TYPE || version !== 1 || !Array.isArray(videos)) return undefined;
  const ids = videos.filter(isId);
  return {
    ids: [...new Set(ids)],
    ignored: videos.length - ids.length,
    ...(typeof data === "object" && data !== null && { data: { ...data, saved: undefined } }),
  };
}

function isId(entry: unknown): entry is string {
  return typeof entry === "string" && entry !== "" && entry.length <= ID_MAX_LENGTH;
}
