/** A cell of CSV (RFC 4180). */
export function csvCell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet would take as the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A table for spreadsheets, with a header line. No text of it is a formula there: an apostrophe before it
 * makes it text (OWASP, CSV Injection).
 */
export function csvTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const safe = (value: string | number) =>
    csvCell(typeof value === "string" && FORMULA.test(value) ? `'${value}` : value);
  return [header, ...rows].map((row) => `${row.map(safe).join(",")}\r\n`).join("");
}
