import { ScrollableTable } from "~/ui/scrollable-table";

/** A table of values before and after a change. */
export function DifferenceTable({
  label,
  headings,
  rows,
  empty,
}: {
  label: string;
  headings: readonly string[];
  rows: { id: string; title: string; before: string; after: string }[];
  /** The text shown for empty values. */
  empty: string;
}) {
  return (
    <ScrollableTable label={label}>
      <table className="w-full text-left text-sm">
        <thead className="text-muted">
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col" className="p-3 font-medium">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, title, before, after }) => (
            <tr key={id} className="border-t border-line align-top">
              <th scope="row" dir="auto" className="p-3 font-medium wrap-anywhere">
                {title}
              </th>
              <td className="p-3 break-words whitespace-pre-line text-muted">{before || empty}</td>
              <td className="p-3 break-words whitespace-pre-line">{after || empty}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}
