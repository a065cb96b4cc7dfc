import type { Database } from "better-sqlite3";
import {
  OWN_DELETED,
  OWN_FILE,
  type OwnVideos,
  ownDeletedValues,
} from "~/features/permissions/permissions";
import type { TrashView } from "~/features/trash/trash-address";
import { fold } from "~/shared/fold";
import { storedDuration } from "~/shared/format";
import { searchNeedle } from "~/shared/search-text";

const TRASH_PAGE_SIZE = 50;

/** A deleted video or a replaced file, as shown in the trash. */
export interface TrashedVideo {
  id: string;
  /** The video's title. */
  title: string;
  /** The disk usage of the files. */
  bytes: number;
  /** When the video was deleted or the file was replaced (ISO 8601, UTC). */
  deletedAt: string;
  /** The email address of the user who deleted the video or replaced the file; null if the account no longer exists. */
  deletedBy: string | null;
}

export interface TrashedFile extends TrashedVideo {
  /** minutes:seconds */
  duration: string;
  /** Whether the file's video is in the trash and has to be restored first. */
  isOfDeleted: boolean;
}

/** One page of the trash. The page number is clamped to the last page. */
export interface TrashPage {
  /** Depending on the view, either `videos` or `files` is empty. */
  videos: TrashedVideo[];
  files: TrashedFile[];
  page: number;
  pageCount: number;
  /** The number of entries that match the search. */
  found: number;
  /** The totals for the whole trash. */
  total: { videos: number; bytes: number };
  totalFiles: { files: number; bytes: number };
}

const FILE_SHOWN = `
  file.id, coalesce(videos.title, deleted.title, '') AS title, file.bytes, replaced_at AS deleted_at,
  user_id AS deleted_by, file.duration, videos.id IS NULL AS isOfDeleted`;
const REPLACED_FILES = `
  FROM video_files AS file
  LEFT JOIN videos ON videos.id = video_id
  LEFT JOIN deleted_videos AS deleted ON deleted.id = video_id
  WHERE state = 'earlier'`;

const MATCHES = "(@needle = '' OR title_holds(title, @needle))";

/**
 * Returns the page for a view, latest first. If `own` is given, only the user's own videos are included. Runs in the
 * studio's worker thread, because a search reads every title.
 */
export function readTrashPage(sqlite: Database) {
  sqlite.function("title_holds", { deterministic: true }, (title: unknown, needle: unknown) =>
    Number(fold(String(title)).includes(String(needle))),
  );
  return ({
    search,
    page: requested,
    own,
    ...view
  }: TrashView & { own?: OwnVideos }): TrashPage => {
    const ownValues = own && ownDeletedValues(own);
    const values = { needle: searchNeedle(search), ...ownValues };
    const deleted = `FROM deleted_videos WHERE ${own ? OWN_DELETED : "TRUE"}`;
    const replaced = `${REPLACED_FILES} AND ${own ? OWN_FILE : "TRUE"}`;
    const total = sqlite
      .prepare<unknown[], TrashPage["total"]>(
        `SELECT count(*) AS videos, coalesce(sum(bytes), 0) AS bytes ${deleted}`,
      )
      .get({ ...ownValues })!;
    const totalFiles = sqlite
      .prepare<unknown[], TrashPage["totalFiles"]>(
        `SELECT count(*) AS files, coalesce(sum(file.bytes), 0) AS bytes
         ${own ? replaced : "FROM video_files AS file WHERE state = 'earlier'"}`,
      )
      .get({ ...ownValues })!;
    const rows = view.files
      ? `SELECT * FROM (SELECT ${FILE_SHOWN} ${replaced}) WHERE ${MATCHES}`
      : `SELECT id, title, bytes, deleted_at, deleted_by ${deleted} AND ${MATCHES}`;
    const all = view.files ? totalFiles.files : total.videos;
    const found = search
      ? sqlite.prepare<unknown[], number>(`SELECT count(*) FROM (${rows})`).pluck().get(values)!
      : all;
    const pageCount = Math.max(1, Math.ceil(found / TRASH_PAGE_SIZE));
    const page = Math.min(requested, pageCount);
    const list = sqlite
      .prepare<unknown[], TrashedFile & JoinedRow>(
        `SELECT trash.*, users.email FROM (
           ${rows} ORDER BY deleted_at DESC, id DESC LIMIT ${TRASH_PAGE_SIZE} OFFSET @offset) AS trash
         LEFT JOIN users ON users.id = deleted_by
         ORDER BY deleted_at DESC, trash.id DESC`,
      )
      .all({ ...values, offset: (page - 1) * TRASH_PAGE_SIZE });
    const entries = list.map(({ deleted_at, deleted_by: _, email, ...row }) => ({
      ...row,
      deletedAt: deleted_at,
      deletedBy: email,
    }));
    const counts = { page, pageCount, found, total, totalFiles };
    if (!view.files) return { videos: entries, files: [], ...counts };
    const files = entries.map((row) => ({
      ...row,
      duration: storedDuration(row.duration),
      isOfDeleted: Boolean(row.isOfDeleted),
    }));
    return { videos: [], files, ...counts };
  };
}

interface JoinedRow {
  deleted_at: string;
  deleted_by: string | null;
  email: string | null;
}
