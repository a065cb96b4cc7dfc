import { compareSite } from "~/features/processing/comparison/block-list-matches.server";
import {
  PUT_BACK_DAYS,
  putBackEntry,
  removeEntry,
} from "~/features/processing/comparison/blocked-videos.server";
import { failedComparisons } from "~/features/processing/comparison/compared.server";
import { importDigestList } from "~/features/processing/comparison/digest-list.server";
import {
  importBlockList,
  isBlockListFile,
  ListFileError,
  MAX_LIST_BYTES,
} from "~/features/processing/comparison/list-file.server";
import { type MediaName, parseMediaUrl } from "~/media/bucket.server";
import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import {
  discardReceived,
  type FileRule,
  type ReceivedFile,
} from "~/media/intake/received-file.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import { formatQuantity } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import { BLOCK_REASONS, type BlockReason } from "~db/schema/moderation";
import { queryThread } from "~db/threads/query-thread.server";
import { undecidedScans } from "../scan/scans.server";
import { BLOCK_LIST, entryName } from "./entry-name";
import { MATCHES_SHOWN, type Match } from "./matches.server";

const MAX_NAME_LENGTH = 200;

export type BlockListPage = Awaited<ReturnType<typeof readBlockListPage>>;

/** Returns a page of the block list, most recently blocked first, along with everything that needs to be reviewed. */
export async function readBlockListPage(before: number | undefined, toRemove?: number) {
  const confirmation = toRemove === undefined ? undefined : readEntry(toRemove);
  return {
    ...readEntries(before),
    /** The entries that can be restored to the list, most recently removed first. */
    removed: selectEntries(
      `removed_at IS NOT NULL ORDER BY removed_at DESC LIMIT ${REMOVED_SHOWN}`,
    ),
    matches: await queryThread<Match[]>("studio", "block-list-matches", {}),
    /** The videos that are on hold because their comparison failed, each with the reason for the failure. */
    uncompared: failedComparisons(MATCHES_SHOWN),
    /** The videos with scan findings for which no editor has made a decision yet. */
    scanned: undecidedScans(MATCHES_SHOWN),
    ...(confirmation?.removedAt === null && { confirmation }),
  };
}

const RULE: FileRule = {
  maxBytes: MAX_LIST_BYTES,
  tooLarge: "A block list can be at most 512 MB.",
  checkHead: async () => {},
};

/** Receives the page's multipart form. The caller must delete the received files. */
export function receiveBlockListForm(request: Request): Promise<ReceivedForm> {
  return receiveMultipart(request, { list: RULE });
}

/**
 * Adds the videos or digests in a file to the list, and starts looking for matching videos on this site. An imported
 * list doesn't hide any videos.
 */
export async function importList(
  form: ReceivedForm,
  userId: string,
): Promise<Failure | ToastMessage> {
  const file = form.files.get("list");
  const refuse = (detail: string, status: Failure["status"] = 422) =>
    failure(status, "The list was not imported.", { detail });
  try {
    if (form.error) return refuse(form.error.message, form.error.status as Failure["status"]);
    if (!file) return refuse("Choose a file.");
    if (await isBlockListFile(file.path)) return await importVideos(file.path, userId);
    const reason = BLOCK_REASONS.find((each) => each === (form.fields.get("reason") ?? "other"));
    if (!reason) return refuse("Choose a reason.", 400);
    return await importDigests(file, reason, userId);
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error;
    return refuse(error.message);
  } finally {
    await discardReceived(...form.files.values());
  }
}

async function importVideos(file: string, userId: string): Promise<ToastMessage> {
  const { added, known, from } = await importBlockList(file);
  const videos = formatQuantity(added, "new video");
  await recordImport({ added, known }, `${videos}, ${known} already listed`, userId);
  if (added > 0) compareSite(from, false).catch(console.error);
  return success(
    "Block list",
    `${formatQuantity(added, "video")} added, ${known} already on the list. Matching videos on this site are listed below as they are found.`,
  );
}

async function importDigests(
  file: ReceivedFile,
  reason: BlockReason,
  userId: string,
): Promise<ToastMessage> {
  const name = file.name.replaceAll(/\p{Cc}/gu, "").slice(0, MAX_NAME_LENGTH) || "Unnamed list";
  const { added, known } = await importDigestList(file.path, { name, reason });
  const digests = formatQuantity(added, "new digest");
  await recordImport({ added, known }, `${name}: ${digests}, ${known} already listed`, userId);
  const duplicates = known > 0 ? ` ${formatQuantity(known, "duplicate")} skipped.` : "";
  return success(
    "Block list",
    `${formatQuantity(added, "digest")} added.${duplicates} Videos on this site with the same file are listed below.`,
  );
}

function recordImport(
  counts: { added: number; known: number },
  detail: string,
  userId: string,
): Promise<void> {
  return transaction(() => {
    appendToLog({ action: "block-list-import", userId, detail: counts });
    recordActivity({ userId, action: "block-import", detail });
  });
}

const PER_PAGE = 50;
const REMOVED_SHOWN = 100;

/** An entry on the block list; times are in ISO 8601 format (UTC). */
export interface ListedEntry {
  id: number;
  reason: BlockReason;
  blockedAt: string;
  state: "waiting" | "ready" | "few" | "none";
  isImported: boolean;
  /** The number of digests in a digest list; null for a video. */
  digests: number | null;
  /** The removed video's title, or the digest list's file name; null if it is no longer known. */
  title: string | null;
  /** Where the removed video is; null if it was permanently deleted. */
  place: "catalogue" | "trash" | null;
  hasThumbnail: boolean;
  reportId: string | null;
  /** When the entry was removed from the list; null if it is still on the list. */
  removedAt: string | null;
}

type Row = Omit<ListedEntry, "isImported" | "hasThumbnail"> & {
  isImported: number;
  hasThumbnail: number;
};

// Thumbnails that may show a minor are never displayed.
const COLUMNS = `
  blocked_videos.id, reason, blocked_at AS blockedAt, state, blocked_videos.video_id IS NULL AS isImported, digests,
  coalesce(videos.title, deleted.title, blocked_videos.title) AS title,
  CASE WHEN videos.id IS NOT NULL THEN 'catalogue' WHEN deleted.id IS NOT NULL THEN 'trash' END AS place,
  reason <> 'under-age'
    AND coalesce(videos.thumbnail_url, deleted.row ->> 'thumbnail_url') IS NOT NULL AS hasThumbnail,
  (SELECT report_id FROM moderation_log WHERE moderation_log.video_id = blocked_videos.video_id
     AND action = 'remove' ORDER BY moderation_log.id DESC LIMIT 1) AS reportId,
  removed_at AS removedAt`;
const SOURCES = `
  LEFT JOIN videos ON videos.id = blocked_videos.video_id
  LEFT JOIN deleted_videos AS deleted ON deleted.id = blocked_videos.video_id`;

/** @param where the condition, order and limit as SQL with named parameters. */
function selectEntries(where: string, values: Record<string, number | null> = {}): ListedEntry[] {
  const rows = prepared<Row>(`SELECT ${COLUMNS} FROM blocked_videos ${SOURCES} WHERE ${where}`).all(
    values,
  );
  return rows.map(({ isImported, hasThumbnail, ...row }) => {
    return { ...row, isImported: isImported === 1, hasThumbnail: hasThumbnail === 1 };
  });
}

/** Returns a page of the entries, most recently blocked first. `next` is the cursor for the next page. */
function readEntries(before: number | undefined) {
  const found = selectEntries(
    `removed_at IS NULL AND (@before IS NULL OR blocked_videos.id < @before)
     ORDER BY blocked_videos.id DESC LIMIT ${PER_PAGE + 1}`,
    { before: before ?? null },
  );
  const entries = found.slice(0, PER_PAGE);
  const next = found.length > PER_PAGE ? entries.at(-1)?.id : undefined;
  const total = prepared<number>(
    `SELECT (SELECT count(*) FROM blocked_videos)
       - (SELECT count(*) FROM blocked_videos WHERE removed_at IS NOT NULL)`,
  )
    .pluck()
    .get()!;
  return { entries, total, next };
}

function readEntry(id: number): ListedEntry | undefined {
  return selectEntries("blocked_videos.id = @id", { id })[0];
}

/** Returns the thumbnail of an entry's video if the video is in the catalogue or in the trash. */
export function entryThumbnail(id: number): MediaName | undefined {
  const url = prepared<string | null>(
    `SELECT coalesce(videos.thumbnail_url, deleted.row ->> 'thumbnail_url')
     FROM blocked_videos ${SOURCES} WHERE blocked_videos.id = ? AND reason <> 'under-age'`,
  )
    .pluck()
    .get(id);
  return url ? parseMediaUrl(url) : undefined;
}

/**
 * Removes an entry from the list. Videos that are on hold because of the entry stay on hold until an editor reviews
 * them. The toast contains a form that undoes the removal.
 */
export async function removeFromList(id: number, userId: string): Promise<Failure | ToastMessage> {
  const entry = await changeEntry(id, userId, "remove");
  if (entry === undefined) {
    return failure(404, "Nothing was removed.", {
      detail: "This entry is no longer on the block list.",
    });
  }
  return {
    ...success("Removed from block list", `${describeEntry(entry)} can be uploaded again.`),
    detail: `You can undo this for ${PUT_BACK_DAYS} days.`,
    action: { label: "Undo", to: BLOCK_LIST, fields: { intent: "put-back", entry: String(id) } },
  };
}

/** Restores a removed entry, and starts comparing the site's videos with it. */
export async function restoreToList(id: number, userId: string): Promise<Failure | ToastMessage> {
  const entry = await changeEntry(id, userId, "put-back");
  if (entry === undefined) {
    return failure(404, "Nothing was restored.", {
      detail: `This entry is already on the block list, or was removed more than ${PUT_BACK_DAYS} days ago.`,
    });
  }
  // Imported entries never hide any videos, whether they are added or restored.
  compareSite(id, !entry.isImported, id).catch(console.error);
  return success("Restored to block list", `${describeEntry(entry)} can’t be uploaded again.`);
}

function describeEntry(entry: ListedEntry): string {
  return entry.digests === null ? entryName(entry) : `Files listed in ${entryName(entry)}`;
}

/** Returns the changed entry, or undefined if there was nothing to change. */
function changeEntry(
  id: number,
  userId: string,
  action: "remove" | "put-back",
): Promise<ListedEntry | undefined> {
  return transaction(() => {
    const entry = Number.isSafeInteger(id) ? readEntry(id) : undefined;
    if (!entry || !(action === "remove" ? removeEntry(id) : putBackEntry(id))) return undefined;
    const detail = entryName(entry);
    appendToLog({ action: `block-list-${action}`, userId, detail: { video: id } });
    recordActivity({ userId, action: `block-${action}`, detail });
    return entry;
  });
}
