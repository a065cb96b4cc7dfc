/** The file in which somebody carries their saved videos to another browser. It holds ids and no titles. */

export const SAVED_FILE_NAME = "saved-videos.json";
/** 500 ids are a tenth of it. */
export const SAVED_FILE_MAX_BYTES = 256 * 1024;
const TYPE = "saved-videos";
const ID_MAX_LENGTH = 200;

export function savedFile(ids: readonly string[]): string {
  return `${JSON.stringify({ type: TYPE, version: 1, videos: ids }, null, 2)}\n`;
}

/**
 * The ids of a file, each once, in its order; anybody may have written it.
 *
 * @returns undefined when it is no such file; `ignored` counts the entries that are no ids.
 */
export function parseSavedFile(text: string): { ids: string[]; ignored: number } | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof file !== "object" || file === null) return undefined;
  const { type, version, videos } = file as Record<string, unknown>;
  if (type !== TYPE || version !== 1 || !Array.isArray(videos)) return undefined;
  const ids = videos.filter(isId);
  return { ids: [...new Set(ids)], ignored: videos.length - ids.length };
}

function isId(entry: unknown): entry is string {
  return typeof entry === "string" && entry !== "" && entry.length <= ID_MAX_LENGTH;
}
