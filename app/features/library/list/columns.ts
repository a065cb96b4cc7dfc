/** The columns of the studio's list that can be left out. The title, the selection and the actions stay. */
export const COLUMN_LABELS = {
  status: "Status",
  category: "Category",
  duration: "Duration",
  views: "Views",
  size: "Size",
  added: "Added",
} as const;
export type Column = keyof typeof COLUMN_LABELS;
export const COLUMNS = Object.keys(COLUMN_LABELS) as Column[];

/** Sent with every choice, so that a form in which no other column is chosen says so. */
export const TITLE_COLUMN = "title";

/**
 * The columns that an address names, by `columns=status,views` or by several parameters, as a form
 * without scripts sends them; undefined for all of them, which is the default.
 */
export function readColumns(values: readonly string[]): Column[] | undefined {
  const named = new Set(values.join(",").split(","));
  const columns = COLUMNS.filter((column) => named.has(column));
  const isNoChoice = columns.length === 0 && !named.has(TITLE_COLUMN);
  return isNoChoice || columns.length === COLUMNS.length ? undefined : columns;
}

export function writeColumns(columns: readonly Column[]): string {
  return [TITLE_COLUMN, ...columns].join(",");
}
