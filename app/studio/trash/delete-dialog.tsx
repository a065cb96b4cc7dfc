import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { formatQuantity, formatViews } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { type DeleteConfirmation, nameTitles } from "../bulk/bulk";
import type { EditableVideo } from "../list/managed-video";
import { formatStorage } from "../statistics/storage-text";

/** Asks before a video is deleted, and names what goes with it. */
export function DeleteDialog({ video, list }: { video: EditableVideo; list: string }) {
  return (
    <ConfirmDialog
      title="Delete this video?"
      description={video.title}
      list={list}
      busy={useNavigation().formData?.get("intent") === "delete"}
      consequences={[
        "The public site forgets it at once.",
        `Its file, its thumbnail and what was made from them go: ${formatStorage(video.bytes)}.`,
        `Its ${formatViews(video.views)} ${video.views === 1 ? "goes" : "go"} with it.`,
      ]}
    >
      <input type="hidden" name="intent" value="delete" />
      <input type="hidden" name="id" value={video.id} />
    </ConfirmDialog>
  );
}

/** The same for many videos at once. */
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
        "The public site forgets them at once.",
        `Their files, thumbnails and what was made from them go: ${formatStorage(bytes)}.`,
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

function ConfirmDialog({
  title,
  description,
  consequences,
  list,
  busy,
  children,
}: {
  title: string;
  description: string;
  consequences: string[];
  /** The address of the list: where the form is sent, and where closing leads. */
  list: string;
  busy: boolean;
  /** The fields that say what is deleted. */
  children: ReactNode;
}) {
  return (
    <Dialog title={title} description={description} closeTo={list}>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        {[...consequences, "For 10 minutes the deletion can be undone."].map((consequence) => (
          <li key={consequence}>{consequence}</li>
        ))}
      </ul>
      <Form
        method="post"
        action={list}
        preventScrollReset
        className="flex flex-wrap justify-end gap-3"
      >
        {children}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button variant="danger" busy={busy} busyLabel="Deleting...">
          Delete
        </Button>
      </Form>
    </Dialog>
  );
}
