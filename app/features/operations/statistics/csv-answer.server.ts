import { csvTable } from "~/shared/markup/csv";

/** A table as a file for spreadsheets, which no cache keeps. */
export function csvAnswer<Row>(
  file: string,
  header: readonly string[],
  rows: readonly Row[],
  cells: (row: Row) => (string | number)[],
): Response {
  return new Response(csvTable(header, rows.map(cells)), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${file}"`,
      "Cache-Control": "no-store",
    },
  });
}
