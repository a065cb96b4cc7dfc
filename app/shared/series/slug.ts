const MAX_SLUG_LENGTH = 80;

/**
 * Returns the slug for a string: letters and digits of any script in lowercase, without accents, separated by hyphens.
 * Empty if the string doesn't contain letters or digits.
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

/** Returns the slug. If it is taken, appends the lowest number that makes it unique. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  const base = slug || "series";
  let free = base;
  for (let number = 2; isTaken(free); number += 1) free = `${base}-${number}`;
  return free;
}
