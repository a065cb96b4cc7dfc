import { accountNow, isRefusal, ownDeletedIds } from "~/features/permissions/may-change.server";
import type { OwnVideos } from "~/features/permissions/permissions";
import { EVIDENCE_MESSAGE, evidenceAmong } from "~/features/trash/evidence.server";
import { restoreVideos } from "~/features/trash/restore.server";
import {
  activityAbout,
  type Purged,
  purge,
  type RemovedFile,
  removeReplaced,
  replacedFiles,
  replacedUntil,
  trashedUntil,
} from "~/features/trash/trash.server";
import { createActivityRecorder, recordActivity } from "~/platform/activity/activity.server";
import { type Failure, failure, INCOMPLETE } from "~/platform/failure";
import { orFailure } from "~/platform/or-failure.server";
import { readFields } from "~/platform/small-form.server";
import { formatQuantity } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared } from "~db/client.server";
import { MAX_BULK_VIDEOS } from "../bulk/bulk";
import { restoreFile } from "../files/other-files.server";
import { refusalFailure } from "../refusals.server";

/** Large enough for the ids on a page or in a confirmed form. */
const MAX_FORM_BYTES = 256 * 1024;
const BATCH_SIZE = 1_000;

const NOT_CHANGED = "Nothing was changed.";
const KEPT = failure(409, NOT_CHANGED, { detail: EVIDENCE_MESSAGE });
const GONE = failure(404, NOT_CHANGED, {
  detail: "This is no longer in the trash. It was restored or permanently deleted.",
});

/** The data for confirming a permanent deletion. Confirming sends the same form again with `confirmed`. */
export interface PurgeConfirmation {
  /** The ids of videos or replaced files. */
  ids: string[];
  ofFiles?: true;
  /** Some of the titles. */
  titles: string[];
  bytes: number;
}

export type TrashResult = Failure | ToastMessage | { confirmation: PurgeConfirmation };

/**
 * Handles a form on the trash page. `intent` is `restore` or `purge` with the videos in `selected`, `restore-file` or
 * `purge-file` with the replaced file in `file`, or `empty` with `until`, the time at which the page was loaded.
 *
 * @param own set for users who may change only their own videos.
 */
export async function performTrash(
  request: Request,
  userId: string,
  own?: OwnVideos,
): Promise<TrashResult> {
  const form = await readFields(request, MAX_FORM_BYTES);
  return orFailure(() => perform(form, userId, own), {
    busy: NOT_CHANGED,
    failed: "Failed to update the trash.",
  });
}

async function perform(
  form: FormData,
  userId: string,
  own: OwnVideos | undefined,
): Promise<TrashResult> {
  const intent = form.get("intent");
  if (intent === "empty") return emptyUntil(String(form.get("until") ?? ""), userId, own);
  const [file] = replacedFiles([String(form.get("file") ?? "")], own);
  if (intent === "restore-file") {
    if (!file) return GONE;
    const outcome = await restoreFile(file, userId);
    return isRefusal(outcome) ? refusalFailure(outcome, "Failed to restore the file.") : outcome;
  }
  if (intent === "purge-file") {
    if (!file) return GONE;
    return form.has("confirmed") ? purgeFile(file, userId) : confirmFile(file);
  }
  if (intent !== "restore" && intent !== "purge") {
    return INCOMPLETE;
  }
  const selected = [...new Set(form.getAll("selected").map(String))];
  if (selected.length === 0)
    return failure(422, NOT_CHANGED, { detail: "Select at least one video." });
  if (selected.length > MAX_BULK_VIDEOS)
    return failure(422, NOT_CHANGED, {
      detail: `Select at most ${MAX_BULK_VIDEOS.toLocaleString("en")} videos.`,
    });
  const ids = ownDeletedIds(own, selected);
  if (intent === "restore") return restoreVideos(ids, userId);
  return form.has("confirmed") ? purgeSelected(ids, userId) : confirm(ids);
}

function confirm(ids: readonly string[]): TrashResult {
  const rows = prepared<Purged>(
    `SELECT id, title, bytes FROM deleted_videos
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY deleted_at DESC, id DESC`,
  ).all(JSON.stringify(ids));
  if (rows.length === 0) return GONE;
  return {
    confirmation: {
      ids: rows.map(({ id }) => id),
      titles: rows.slice(0, 10).map(({ title }) => title),
      bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
}

function confirmFile({ id, title, bytes }: RemovedFile): TrashResult {
  return { confirmation: { ids: [id], ofFiles: true, titles: [title], bytes } };
}

async function purgeFile(
  { id, videoId, title }: RemovedFile,
  userId: string,
): Promise<TrashResult> {
  if (evidenceAmong([videoId], { isRemovedKept: !isOwner(userId) }).size > 0) return KEPT;
  const entry = { userId, action: "file-purge", subjectId: videoId, detail: title } as const;
  const record = () => void recordActivity(entry);
  if ((await removeReplaced([id], "earlier", { record })).length === 0) return GONE;
  return permanentlyDeleted("1 earlier file", 1);
}

async function purgeSelected(ids: readonly string[], userId: string): Promise<TrashResult> {
  const options = { isRemovedKept: !isOwner(userId) };
  const evidence = evidenceAmong(ids, options);
  const recordPart = createActivityRecorder();
  const record = (done: readonly Purged[]) =>
    recordPart({ userId, action: "purge", ...activityAbout(done) });
  const purged = await purge(ids, { ...options, record });
  if (purged.length === 0) return evidence.size > 0 ? KEPT : GONE;
  const { size } = evidence;
  const were = size === 1 ? "was" : "were";
  const rest =
    size > 0 && `${formatQuantity(size, "video")} ${were} not deleted. ${EVIDENCE_MESSAGE}`;
  return permanentlyDeleted(formatQuantity(purged.length, "video"), purged.length, rest || "");
}

async function emptyUntil(
  until: string,
  userId: string,
  own: OwnVideos | undefined,
): Promise<TrashResult> {
  if (Number.isNaN(Date.parse(until))) {
    return INCOMPLETE;
  }
  let count = 0;
  let files = 0;
  const summary = () =>
    [
      count > 0 && formatQuantity(count, "video"),
      files > 0 && formatQuantity(files, "earlier file"),
    ]
      .filter(Boolean)
      .join(" and ");
  const record = createActivityRecorder();
  const recordAll = () => record({ userId, action: "trash-empty", detail: summary() });
  // Emptying the trash never deletes videos that are kept as evidence.
  const options = { own, isRemovedKept: true };
  for (;;) {
    const before = count;
    const purged = await purge(trashedUntil(until, BATCH_SIZE, options), {
      ...options,
      record: (done) => {
        count = before + done.length;
        recordAll();
      },
    });
    if (purged.length === 0) break;
  }
  for (;;) {
    const before = files;
    const ids = replacedUntil(until, BATCH_SIZE, options);
    const removed = await removeReplaced(ids, "earlier", {
      record: (done) => {
        files = before + done.length;
        recordAll();
      },
    });
    if (removed.length === 0) break;
  }
  if (count + files === 0) return GONE;
  return permanentlyDeleted(summary(), count + files);
}

function permanentlyDeleted(summary: string, count: number, rest = ""): ToastMessage {
  const were = count === 1 ? "was" : "were";
  return success("Permanently deleted", `${summary} ${were} permanently deleted. ${rest}`.trim());
}

function isOwner(userId: string): boolean {
  return accountNow(userId)?.role === "owner";
}
