import { categoryLabel } from "~/shared/categories";
import { ScrollableTable } from "~/ui/scrollable-table";
import type { EditableVideo } from "../list/managed-video";
import type { EditTexts } from "../rejected-form";

/** What is saved now beside what was about to be saved, line by line where they differ. */
export function EditConflict({ current, texts }: { current: EditableVideo; texts: EditTexts }) {
  const rows = [
    ["Title", current.title, texts.title],
    ["Description", current.description, texts.description],
    ["Category", categoryLabel(current.category), categoryLabel(texts.category)],
    ["Duration", current.duration, texts.duration],
    ["Tags", current.tags.join(", "), texts.tags],
  ].filter(([, saved, yours]) => saved !== yours);
  if (rows.length === 0) {
    return (
      <p className="text-sm text-muted">
        Your texts are what is saved now; only the file, the thumbnail or the visibility has
        changed.
      </p>
    );
  }
  return (
    <ScrollableTable label="What differs">
      <table className="w-full text-left text-sm">
        <thead className="text-muted">
          <tr>
            <th scope="col" className="p-3 font-medium">
              Field
            </th>
            <th scope="col" className="p-3 font-medium">
              Saved now
            </th>
            <th scope="col" className="p-3 font-medium">
              Yours
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, saved, yours]) => (
            <tr key={label} className="border-t border-line align-top">
              <th scope="row" className="p-3 font-medium">
                {label}
              </th>
              <td className="p-3 whitespace-pre-line">{saved || "(empty)"}</td>
              <td className="p-3 whitespace-pre-line">{yours || "(empty)"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  );
}
