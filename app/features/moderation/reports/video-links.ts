const MAX_VIDEOS = 20;
/** Ids have 36 characters, but those of imported videos may be longer. */
const VIDEO_URL = /\/video\/([^\s/?#"'<>)\],;]{1,200})/g;

/** Returns the ids from all video URLs in a text, without duplicates. */
export function parseVideoIds(text: string): string[] {
  const ids = [...text.matchAll(VIDEO_URL)].flatMap(([, id = ""]) => {
    try {
      return decodeURIComponent(id).replace(/\.$/, "");
    } catch {
      return [];
    }
  });
  return [...new Set(ids)].slice(0, MAX_VIDEOS);
}
