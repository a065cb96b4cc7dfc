const MAX_SLUG_LENGTH = 80;

/**
 * What the address of a series ends in, of a text: letters and digits of any script in lower case,
 * without accents, hyphens between them. Empty for a text without letters and digits.
 */
export function slugOf(text: string): string {
  return [
    ...text
      .normalize("NFKD")
      .replaceAll(/(\p{Script=Latin})\p{Mn}+/gu, "$1")
      .normalize("NFC")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-"),
  ]
    .slice(0, MAX_SLUG_LENGTH)
    .join("")
    .replaceAll(/^-+|-+$/g, "");
}

/** The slug, or with the first number behind it that makes it one of its own. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  const base = slug || "series";
  let free = base;
  for (let number = 2; isTaken(free); number += 1) free = `${base}-${number}`;
  return free;
}
