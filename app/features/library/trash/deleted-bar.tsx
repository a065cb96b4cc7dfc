import { Form } from "@remix-run/react";
import { Undo2 } from "lucide-react";
import { nameTitles } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import type { Deletion } from "./recent-deletions.server";

/** What was deleted in the last minutes, each deletion with the button that undoes it. */
export function DeletedBar({ deletions, action }: { deletions: Deletion[]; action: string }) {
  if (deletions.length === 0) return null;
  return (
    <section
      aria-label="Recently deleted"
      className="flex flex-wrap items-center justify-end gap-x-3 rounded-lg border border-line bg-surface p-2 pl-4 text-sm"
    >
      <ul className="flex min-w-0 grow basis-64 flex-col gap-1">
        {deletions.map((deletion) => {
          const names = nameTitles(deletion.titles, deletion.videos);
          return (
            <li key={deletion.batch} className="flex items-center gap-3">
              <span className="min-w-0 flex-1 truncate">
                Deleted <bdi>{names}</bdi>
              </span>
              <Form method="post" action={action} preventScrollReset>
                <input type="hidden" name="intent" value="restore" />
                <input type="hidden" name="batch" value={deletion.batch} />
                <Button variant="secondary" size="sm" aria-label={`Undo deleting ${names}`}>
                  <Undo2 aria-hidden="true" className="size-4" />
                  Undo
                </Button>
              </Form>
            </li>
          );
        })}
      </ul>
      <ButtonLink to="/admin/trash" variant="ghost" size="sm">
        Trash
      </ButtonLink>
    </section>
  );
}
