/** The texts of a stored list; a list of anything else counts as none. */
export function readTags(tags: string | null): string[] {
  const list: unknown = tags === null ? [] : JSON.parse(tags);
  return Array.isArray(list) ? list.filter((tag) => typeof tag === "string") : [];
}

/** A list of tags as it is stored; none is null. */
export function storedTags(tags: readonly string[]): string | null {
  return tags.length > 0 ? JSON.stringify(tags) : null;
}
