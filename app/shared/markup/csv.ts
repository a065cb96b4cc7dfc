/**
 * Matches the start of a spreadsheet formula (OWASP, CSV Injection), even after spaces or apostrophes. Apostrophes are
 * included so that an added apostrophe can be distinguished from one in the original text.
 */
const FORMULA = /^'*(?:\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/;

/**
 * Returns a CSV cell (RFC 4180) that spreadsheets don't evaluate. Text that looks like a formula is prefixed with an
 * apostrophe, which `fromCsvCell` removes.
 */
export function csvCell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the text of a parsed cell, without the apostrophe that `csvCell` adds. */
export function fromCsvCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** Returns a table with a header row. */
export function csvTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}
