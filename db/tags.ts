/** Returns the tags in a stored list. Entries that aren't strings are skipped. */
export function readTags(tags: string | null): string[] {
  const list: unknown = tags === null ? [] : JSON.parse(tags);
  return Array.isArray(list) ? list.filter((tag) => typeof tag === "string") : [];
}

/** Returns the stored form of a list of tags; null if it is empty. */
export function storedTags(tags: readonly string[]): string | null {
  return tags.length > 0 ? JSON.stringify(tags) : null;
}
