import type { Database } from "better-sqlite3";
import { fold } from "~/shared/fold";
import type { TrashView } from "./trash-address";

export const TRASH_PAGE_SIZE = 50;

/** A video in the trash, as its list shows it. */
export interface TrashedVideo {
  id: string;
  title: string;
  /** What its files took on disk. */
  bytes: number;
  /** ISO 8601 UTC. */
  deletedAt: string;
  /** The e-mail of who deleted it; null when that account is gone. */
  deletedBy: string | null;
}

/** One page of the trash, clamped to what exists. */
export interface TrashPage {
  videos: TrashedVideo[];
  page: number;
  pageCount: number;
  /** Videos that the search finds. */
  found: number;
  /** Of the whole trash. */
  total: { videos: number; bytes: number };
}

/**
 * The page of a view, the latest deletion first. Runs on a thread, since a search reads every title:
 * it and the list need nothing but the index.
 */
export function readTrashPage(sqlite: Database) {
  sqlite.function("title_holds", { deterministic: true }, (title: unknown, needle: unknown) =>
    Number(fold(String(title)).includes(String(needle))),
  );
  const sum = sqlite.prepare(
    "SELECT count(*) AS videos, coalesce(sum(bytes), 0) AS bytes FROM deleted_videos",
  );
  const count = sqlite
    .prepare("SELECT count(*) FROM deleted_videos WHERE title_holds(title, ?)")
    .pluck();
  const list = sqlite.prepare(`
    SELECT trash.id, title, bytes, deleted_at AS deletedAt, users.email AS deletedBy
    FROM (
      SELECT id, title, bytes, deleted_at, deleted_by FROM deleted_videos
      WHERE @needle = '' OR title_holds(title, @needle)
      ORDER BY deleted_at DESC, id DESC LIMIT ${TRASH_PAGE_SIZE} OFFSET @offset) AS trash
    LEFT JOIN users ON users.id = deleted_by
    ORDER BY deleted_at DESC, trash.id DESC`);
  return ({ search, page: asked }: TrashView): TrashPage => {
    const needle = fold(search);
    const total = sum.get() as TrashPage["total"];
    const found = needle ? (count.get(needle) as number) : total.videos;
    const pageCount = Math.max(1, Math.ceil(found / TRASH_PAGE_SIZE));
    const page = Math.min(asked, pageCount);
    const offset = (page - 1) * TRASH_PAGE_SIZE;
    const videos = list.all({ needle, offset }) as TrashedVideo[];
    return { videos, page, pageCount, found, total };
  };
}
