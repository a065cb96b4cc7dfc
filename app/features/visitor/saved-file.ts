/**
 * The export file with which visitors move their data to another browser: the ids of saved videos, the watch history
 * and the preferences. Files from earlier versions contain only the saved videos.
 */

export const SAVED_FILE_NAME = "saved-videos.json";
/**
 * The maximum file size. It is ten times the size of a file with 500 saved videos, 500 watched videos and 100
 * positions.
 */
export const SAVED_FILE_MAX_BYTES = 256 * 1024;
const TYPE = "saved-videos";
const ID_MAX_LENGTH = 200;

interface SavedFile {
  ids: string[];
  /** The number of entries that aren't valid ids. */
  ignored: number;
  /** The remaining fields in the browser's storage. */
  data?: Record<string, unknown>;
}

/** Returns the content of an export file that contains the given fields from the browser's storage. */
export function savedFile({ saved = [], ...data }: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ type: TYPE, version: 1, videos: saved, data }, null, 2)}\n`;
}

/** Parses an untrusted export file. Returns its unique ids in order, or undefined if it isn't an export file. */
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
