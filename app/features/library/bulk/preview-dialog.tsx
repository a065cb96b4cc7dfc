import { Form, useNavigation } from "@remix-run/react";
import { formatQuantity, nameTitles } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { ScrollableTable } from "~/ui/scrollable-table";
import { BULK_LABELS, type BulkPreview } from "./bulk";

/** What a change of many videos will do, before it does. */
export function BulkPreviewDialog({
  preview,
  list,
}: {
  preview: BulkPreview;
  /** The address of the list: where the form is sent, and where closing leads. */
  list: string;
}) {
  const { action, ids, fields, rows, changed, unchanged, gone, refused, because, withheld } =
    preview;
  const busy = useNavigation().formData?.has("confirmed") ?? false;
  const notes = [
    unchanged > 0 && `${are(unchanged)} so already.`,
    gone > 0 && `${formatQuantity(gone, "video")} no longer ${gone === 1 ? "exists" : "exist"}.`,
    refused.length > 0 &&
      `${are(refused.length)} left alone, since it can't be: ${nameTitles(refused)}.`,
    because,
    withheld,
  ].filter((note) => typeof note === "string");
  return (
    <Dialog
      title={BULK_LABELS[action]}
      description={
        changed > 0 ? `${formatQuantity(changed, "video")} will change.` : "Nothing will change."
      }
      closeTo={list}
      wide
    >
      {rows.length > 0 && (
        <ScrollableTable label="What will change">
          <table className="w-full text-left text-sm">
            <thead className="text-muted">
              <tr>
                {["Video", "Now", "Then"].map((heading) => (
                  <th key={heading} scope="col" className="p-3 font-medium">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ id, title, before, after }) => (
                <tr key={id} className="border-t border-line align-top">
                  <th scope="row" dir="auto" className="min-w-40 p-3 font-medium wrap-anywhere">
                    {title}
                  </th>
                  <td className="p-3 break-words text-muted">{before || "(nothing)"}</td>
                  <td className="p-3 break-words">{after || "(nothing)"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollableTable>
      )}
      {changed > rows.length && (
        <p className="text-sm text-muted figures">
          {`And ${formatQuantity(changed - rows.length, "more video")}.`}
        </p>
      )}
      {notes.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted figures">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <Form
        method="post"
        action={list}
        preventScrollReset
        className="flex flex-wrap justify-end gap-3"
      >
        <input type="hidden" name="intent" value="bulk" />
        <input type="hidden" name="do" value={action} />
        <input type="hidden" name="confirmed" value="1" />
        {fields.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {ids.map((id) => (
          <input key={id} type="hidden" name="selected" value={id} />
        ))}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button busy={busy} busyLabel="Updating..." disabled={changed === 0}>
          Change videos
        </Button>
      </Form>
    </Dialog>
  );
}

function are(videos: number): string {
  return `${formatQuantity(videos, "video")} ${videos === 1 ? "is" : "are"}`;
}
