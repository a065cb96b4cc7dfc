import { formatQuantity, nameTitles } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import type { PurgeConfirmation } from "./trash-action.server";
import type { TrashPage } from "./trash-list.server";

const FOR_GOOD = "This can't be undone.";

/** Asks before some videos of the trash are deleted for good. */
export function PurgeDialog({
  confirmation: { ids, ofFiles, titles, bytes },
  list,
  busy,
}: {
  confirmation: PurgeConfirmation;
  /** The address of the list: where the form is sent, and where closing leads. */
  list: string;
  busy: boolean;
}) {
  const videos = ids.length === 1 ? "this video" : formatQuantity(ids.length, "video");
  return (
    <ConfirmDialog
      title={`Delete ${ofFiles ? "this earlier file" : videos} for good?`}
      description={nameTitles(titles, ids.length)}
      list={list}
      busy={busy}
      consequences={[
        ofFiles
          ? `It and what was made of it go: ${formatStorage(bytes)}. The video stays.`
          : `Files of ${formatStorage(bytes)} and all views go with it.`,
        FOR_GOOD,
      ]}
    >
      <input type="hidden" name="intent" value={ofFiles ? "purge-file" : "purge"} />
      <input type="hidden" name="confirmed" value="1" />
      {ids.map((id) => (
        <input key={id} type="hidden" name={ofFiles ? "file" : "selected"} value={id} />
      ))}
    </ConfirmDialog>
  );
}

/** Asks before the whole trash is emptied: what was in it at that moment. */
export function EmptyDialog({
  total,
  totalFiles,
  until,
  list,
  busy,
}: {
  total: TrashPage["total"];
  totalFiles: TrashPage["totalFiles"];
  /** ISO 8601 UTC. */
  until: string;
  list: string;
  busy: boolean;
}) {
  return (
    <ConfirmDialog
      title="Empty the trash?"
      description={[
        formatQuantity(total.videos, "video"),
        ...(totalFiles.files > 0 ? [formatQuantity(totalFiles.files, "earlier file")] : []),
        formatStorage(total.bytes + totalFiles.bytes),
      ].join(", ")}
      list={list}
      busy={busy}
      consequences={["All of it is deleted for good, with its files and views.", FOR_GOOD]}
    >
      <input type="hidden" name="intent" value="empty" />
      <input type="hidden" name="until" value={until} />
    </ConfirmDialog>
  );
}
