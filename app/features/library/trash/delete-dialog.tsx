import { useNavigation } from "@remix-run/react";
import { TRASH_DAYS } from "~/features/trash/trash-address";
import { formatQuantity, formatViews, nameTitles } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import type { DeleteConfirmation } from "../bulk/bulk";
import type { EditableVideo } from "../list/managed-video";

const RESTORABLE = `For ${TRASH_DAYS} days the trash has all of it, to be restored.`;

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
        RESTORABLE,
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
        RESTORABLE,
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
