/** Letters without a canonical decomposition that people type as plain letters, and the final form of sigma. */
const VARIANTS: Readonly<Record<string, string>> = {
  ß: "ss",
  ł: "l",
  ø: "o",
  đ: "d",
  ı: "i",
  ς: "σ",
};

/**
 * Folds a text for comparison: its case, combining marks (accents), letter variants and width don't matter (product
 * decisions, Search). Search indexes, search queries and tags all use this function.
 */
export function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßłøđıς]/g, (letter) => VARIANTS[letter] ?? letter);
}
