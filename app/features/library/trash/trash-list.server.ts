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

const TRASH_PAGE_SIZE = 50;

/** A video in the trash, or a file of one that was replaced, as the list shows it. */
export interface TrashedVideo {
  id: string;
  /** Of the video. */
  title: string;
  /** What its files took on disk. */
  bytes: number;
  /** When it was deleted or replaced; ISO 8601 UTC. */
  deletedAt: string;
  /** The e-mail of who did that; null when that account is gone. */
  deletedBy: string | null;
}

export interface TrashedFile extends TrashedVideo {
  /** minutes:seconds */
  duration: string;
  /** Its video is in the trash itself, and has to be restored first. */
  isOfDeleted: boolean;
}

/** One page of the trash, clamped to what exists. */
export interface TrashPage {
  /** One of the two is empty, as the view says. */
  videos: TrashedVideo[];
  files: TrashedFile[];
  page: number;
  pageCount: number;
  /** What the search finds. */
  found: number;
  /** Of the whole trash. */
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

/**
 * The page of a view, of one user's videos if they are given, the latest first. Runs on the thread of the
 * studio, since a search reads every title: it and the list of videos need nothing but the index.
 */
export function readTrashPage(sqlite: Database) {
  sqlite.function("title_holds", { deterministic: true }, (title: unknown, needle: unknown) =>
    Number(fold(String(title)).includes(String(needle))),
  );
  return ({ search, page: asked, own, ...view }: TrashView & { own?: OwnVideos }): TrashPage => {
    const mineValues = own && ownDeletedValues(own);
    const holds = conditionOf(fold(search));
    const values = { value: holds.value, ...mineValues };
    const deleted = `FROM deleted_videos WHERE ${own ? OWN_DELETED : "TRUE"}`;
    const replaced = `${REPLACED_FILES} AND ${own ? OWN_FILE : "TRUE"}`;
    const total = sqlite
      .prepare<unknown[], TrashPage["total"]>(
        `SELECT count(*) AS videos, coalesce(sum(bytes), 0) AS bytes ${deleted}`,
      )
      .get({ ...mineValues })!;
    const totalFiles = sqlite
      .prepare<unknown[], TrashPage["totalFiles"]>(
        `SELECT count(*) AS files, coalesce(sum(file.bytes), 0) AS bytes
         ${own ? replaced : "FROM video_files AS file WHERE state = 'earlier'"}`,
      )
      .get({ ...mineValues })!;
    const rows = view.files
      ? `SELECT * FROM (SELECT ${FILE_SHOWN} ${replaced}) WHERE ${holds.condition}`
      : `SELECT id, title, bytes, deleted_at, deleted_by ${deleted} AND ${holds.condition}`;
    const all = view.files ? totalFiles.files : total.videos;
    const found = search
      ? sqlite.prepare<unknown[], number>(`SELECT count(*) FROM (${rows})`).pluck().get(values)!
      : all;
    const pageCount = Math.max(1, Math.ceil(found / TRASH_PAGE_SIZE));
    const page = Math.min(asked, pageCount);
    const list = sqlite
      .prepare<unknown[], TrashedFile & Stored>(
        `SELECT trash.*, users.email FROM (
           ${rows} ORDER BY deleted_at DESC, id DESC LIMIT ${TRASH_PAGE_SIZE} OFFSET @offset) AS trash
         LEFT JOIN users ON users.id = deleted_by
         ORDER BY deleted_at DESC, trash.id DESC`,
      )
      .all({ ...values, offset: (page - 1) * TRASH_PAGE_SIZE });
    const shown = list.map(({ deleted_at, deleted_by: _, email, ...row }) => ({
      ...row,
      deletedAt: deleted_at,
      deletedBy: email,
    }));
    const counts = { page, pageCount, found, total, totalFiles };
    if (!view.files) return { videos: shown, files: [], ...counts };
    const files = shown.map((row) => ({
      ...row,
      duration: storedDuration(row.duration),
      isOfDeleted: Boolean(row.isOfDeleted),
    }));
    return { videos: [], files, ...counts };
  };
}

interface Stored {
  deleted_at: string;
  deleted_by: string | null;
  email: string | null;
}

/** Of ASCII, LIKE knows upper and lower case by itself, and takes a fifth of the time. */
function conditionOf(needle: string): { condition: string; value: string } {
  if (needle === "") return { condition: "@value = ''", value: "" };
  if (!/^[ -~]*$/.test(needle)) return { condition: "title_holds(title, @value)", value: needle };
  const pattern = needle.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
  return { condition: "title LIKE @value ESCAPE '\\'", value: `%${pattern}%` };
}
