import { Form } from "@remix-run/react";
import { Undo2 } from "lucide-react";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import type { ShownTagChange } from "./tag-changes.server";

/** The latest changes of tags, each with how far it is or the button that undoes it. */
export function TagChangeList({ changes, action }: { changes: ShownTagChange[]; action: string }) {
  if (changes.length === 0) return null;
  return (
    <details
      className="rounded-lg border border-line bg-surface p-2 pl-4 text-sm"
      open={changes.some(({ state }) => state !== "done")}
    >
      <summary className="inline-flex min-h-11 items-center text-muted underline underline-offset-4 hover:text-ink">
        Changes that can be undone
      </summary>
      <ul aria-label="Changes of tags" className="flex flex-col gap-1">
        {changes.map((change) => (
          <li key={change.id} className="flex items-center gap-3">
            <span className="min-w-0 flex-1 break-words">
              <span className="inline-block first-letter:uppercase">{change.sentence}</span>
              <span className="text-muted figures">{` · ${progress(change)}`}</span>
            </span>
            {change.state === "done" && (
              <Form method="post" action={action} preventScrollReset>
                <input type="hidden" name="intent" value="undo" />
                <input type="hidden" name="change" value={change.id} />
                <Button variant="secondary" size="sm" aria-label={`Undo: ${change.sentence}`}>
                  <Undo2 aria-hidden="true" className="size-4" />
                  Undo
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function progress({ state, videos, total }: ShownTagChange): string {
  if (state === "undoing") return "being undone";
  if (state === "done") return formatQuantity(videos, "video");
  const of = total === undefined ? "" : ` of ${total.toLocaleString("en")}`;
  return `${videos.toLocaleString("en")}${of} videos so far`;
}
