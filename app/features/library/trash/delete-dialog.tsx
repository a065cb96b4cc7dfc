import { Form, useNavigation } from "@remix-run/react";
import { Undo2 } from "lucide-react";
import { TRASH_DAYS } from "~/features/trash/trash-address";
import { formatQuantity, formatViews, nameTitles } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { Button, ButtonLink } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import type { DeleteConfirmation } from "../bulk/bulk";
import type { EditableVideo } from "../managed-video";
import type { Deletion } from "./recent-deletions.server";

const RESTORABLE = `You can restore it from the trash for ${TRASH_DAYS} days.`;

/** The confirmation dialog for a deletion, which lists the consequences. */
export function DeleteDialog({ video, list }: { video: EditableVideo; list: string }) {
  return (
    <ConfirmDialog
      title="Delete this video?"
      description={video.title}
      list={list}
      busy={useNavigation().formData?.get("intent") === "delete"}
      consequences={[
        "It disappears from the site immediately.",
        `Moves ${formatStorage(video.bytes)} of files to the trash.`,
        `Removes ${formatViews(video.views)} from the statistics.`,
        RESTORABLE,
      ]}
    >
      <input type="hidden" name="intent" value="delete" />
      <input type="hidden" name="id" value={video.id} />
    </ConfirmDialog>
  );
}

/** The confirmation dialog for a bulk deletion. */
export function BulkDeleteDialog({
  confirmation: { ids, titles, bytes },
  list,
}: {
  confirmation: DeleteConfirmation;
  list: string;
}) {
  const videos = ids.length === 1 ? "this video" : formatQuantity(ids.length, "video");
  return (
    <ConfirmDialog
      title={`Delete ${videos}?`}
      description={nameTitles(titles, ids.length)}
      list={list}
      busy={useNavigation().formData?.has("confirmed") ?? false}
      consequences={[
        "They disappear from the site immediately.",
        `Moves ${formatStorage(bytes)} of files to the trash.`,
        `You can restore them from the trash for ${TRASH_DAYS} days.`,
      ]}
    >
      <input type="hidden" name="intent" value="bulk" />
      <input type="hidden" name="do" value="delete" />
      <input type="hidden" name="confirmed" value="1" />
      {ids.map((id) => (
        <input key={id} type="hidden" name="selected" value={id} />
      ))}
    </ConfirmDialog>
  );
}

/** The deletions in the last few minutes, each with an Undo button. */
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
