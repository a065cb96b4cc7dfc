/**
 * What a spreadsheet may take for the start of a formula (OWASP, CSV Injection), after spaces as well, and
 * after apostrophes: so that an apostrophe that is added can be told from one that was there.
 */
const FORMULA = /^'*(?:\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/;

/**
 * Returns a cell of CSV (RFC 4180) that no spreadsheet evaluates: an apostrophe is put before a text that starts
 * like a formula. `fromCsvCell` removes it.
 */
export function csvCell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the text of a parsed cell, without the apostrophe that `csvCell` has put before it. */
export function fromCsvCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** Returns a table with a header line. */
export function csvTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}
