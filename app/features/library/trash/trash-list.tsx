import { Form } from "@remix-run/react";
import { Undo2 } from "lucide-react";
import { daysLeft } from "~/features/trash/trash-address";
import { formatAge, formatQuantity, nameTitles } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { useHydrated } from "~/ui/use-hydrated";
import { SelectionBox, SelectionForm, useSelection } from "../list/selection";
import type { PurgeConfirmation } from "./trash-action.server";
import type { TrashedFile, TrashedVideo, TrashPage } from "./trash-list.server";

const FORM = "trash";

/** The deleted videos on a page with checkboxes, and the actions for the selected ones. */
export function TrashList({
  videos,
  action,
  busy,
  now,
}: {
  videos: TrashedVideo[];
  /** The URL of the list. */
  action: string;
  /** The intent of the form that is currently being sent. */
  busy: string | undefined;
  /** Unix time in milliseconds. */
  now: number;
}) {
  const hydrated = useHydrated();
  const selection = useSelection(videos);
  return (
    <>
      <ul
        aria-label="Videos in the trash"
        className="ruled rounded-lg border border-line bg-surface"
      >
        {videos.map((video) => (
          <li key={video.id} className="flex items-center gap-3 p-3 sm:px-4">
            <SelectionBox form={FORM} id={video.id} label={video.title} selection={selection} />
            <TrashedTitle entry={video} verb="Deleted" now={now} />
            <Form method="post" action={action} preventScrollReset>
              <input type="hidden" name="selected" value={video.id} />
              <Button
                name="intent"
                value="restore"
                variant="secondary"
                size="sm"
                aria-label={`Restore ${video.title}`}
              >
                <Undo2 aria-hidden="true" className="size-4" />
                <span className="max-sm:sr-only">Restore</span>
              </Button>
            </Form>
          </li>
        ))}
      </ul>
      <SelectionForm id={FORM} action={action} noun="videos" selection={selection}>
        {hydrated && selection.ids.size < videos.length && (
          <Button type="button" variant="ghost" size="sm" onClick={selection.togglePage}>
            Select all on this page
          </Button>
        )}
        <Button
          name="intent"
          value="restore"
          variant="secondary"
          busy={busy === "restore"}
          busyLabel="Restoring..."
        >
          Restore
        </Button>
        <Button name="intent" value="purge" variant="danger" busy={busy === "purge"}>
          Delete permanently
        </Button>
      </SelectionForm>
    </>
  );
}

/** The title of a deleted video or replaced file, when and by whom it was deleted, and how long it will be kept. */
function TrashedTitle({ entry, verb, now }: { entry: TrashedVideo; verb: string; now: number }) {
  const { title, bytes, deletedAt, deletedBy } = entry;
  return (
    <div className="min-w-0 grow basis-60">
      <p dir="auto" className="line-clamp-2 font-medium break-words">
        {title}
      </p>
      <p className="text-sm text-muted figures">
        {`${verb} ${formatAge(deletedAt, now)}`}
        {deletedBy && (
          <>
            {" by "}
            <span className="break-words">{deletedBy}</span>
          </>
        )}
        {` · ${formatStorage(bytes)} · ${daysLeft(deletedAt, now)} left`}
      </p>
    </div>
  );
}

/** The replaced files on a page, each with buttons to restore or delete it. */
export function ReplacedFileList({
  files,
  action,
  now,
}: {
  files: TrashedFile[];
  /** The URL of the list. */
  action: string;
  /** Unix time in milliseconds. */
  now: number;
}) {
  return (
    <ul aria-label="Earlier files" className="ruled rounded-lg border border-line bg-surface">
      {files.map((file) => (
        <li key={file.id} className="flex flex-wrap items-center gap-3 p-3 sm:px-4">
          <TrashedTitle entry={file} verb={`${file.duration} · Replaced`} now={now} />
          <Form method="post" action={action} preventScrollReset className="flex flex-wrap gap-3">
            <input type="hidden" name="file" value={file.id} />
            {file.isOfDeleted ? (
              <p className="self-center text-sm text-muted">
                To restore this file, restore its video first.
              </p>
            ) : (
              <Button
                name="intent"
                value="restore-file"
                variant="secondary"
                size="sm"
                aria-label={`Restore this file of ${file.title}`}
              >
                <Undo2 aria-hidden="true" className="size-4" />
                Restore this file
              </Button>
            )}
            <Button
              name="intent"
              value="purge-file"
              variant="ghost"
              size="sm"
              aria-label={`Permanently delete this file of ${file.title}`}
            >
              Delete permanently
            </Button>
          </Form>
        </li>
      ))}
    </ul>
  );
}

const CANNOT_BE_UNDONE = "This can’t be undone.";

/** The confirmation dialog for a permanent deletion. */
export function PurgeDialog({
  confirmation: { ids, ofFiles, titles, bytes },
  list,
  busy,
}: {
  confirmation: PurgeConfirmation;
  /** The URL of the list. The form is submitted to this URL, and closing the dialog returns the user to it. */
  list: string;
  busy: boolean;
}) {
  const videos = ids.length === 1 ? "this video" : formatQuantity(ids.length, "video");
  return (
    <ConfirmDialog
      title={`Permanently delete ${ofFiles ? "this earlier file" : videos}?`}
      description={nameTitles(titles, ids.length)}
      list={list}
      busy={busy}
      consequences={[
        ofFiles
          ? `Deletes ${formatStorage(bytes)} of files. The video is kept.`
          : `Deletes ${formatStorage(bytes)} of files and all view counts.`,
        CANNOT_BE_UNDONE,
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

/**
 * The confirmation dialog for emptying the trash. Confirming deletes everything that was already in the trash when the
 * page was loaded.
 */
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
      title="Empty trash?"
      description={[
        formatQuantity(total.videos, "video"),
        ...(totalFiles.files > 0 ? [formatQuantity(totalFiles.files, "earlier file")] : []),
        formatStorage(total.bytes + totalFiles.bytes),
      ].join(", ")}
      list={list}
      busy={busy}
      consequences={[
        "Everything will be permanently deleted, including files and views.",
        CANNOT_BE_UNDONE,
      ]}
    >
      <input type="hidden" name="intent" value="empty" />
      <input type="hidden" name="until" value={until} />
    </ConfirmDialog>
  );
}
