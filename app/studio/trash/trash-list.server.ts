import type { Database } from "better-sqlite3";
import { fold } from "~/shared/fold";
import type { OwnVideos } from "../own-videos";
import { OWN_DELETED, ownDeletedValues } from "../own-videos.server";
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
 * The page of a view, of one user's videos if they are given, the latest deletion first. Runs on the thread of the studio, since a search reads
 * every title: it and the list need nothing but the index.
 */
export function readTrashPage(sqlite: Database) {
  sqlite.function("title_holds", { deterministic: true }, (title: unknown, needle: unknown) =>
    Number(fold(String(title)).includes(String(needle))),
  );
  return ({ search, page: asked, own }: TrashView & { own?: OwnVideos }): TrashPage => {
    const mine = own ? OWN_DELETED : "TRUE";
    const mineValues = own && ownDeletedValues(own);
    const holds = conditionOf(fold(search));
    const condition = `${holds.condition} AND ${mine}`;
    const { value } = holds;
    const total = sqlite
      .prepare(
        `SELECT count(*) AS videos, coalesce(sum(bytes), 0) AS bytes FROM deleted_videos
         WHERE ${mine}`,
      )
      .get({ ...mineValues }) as TrashPage["total"];
    const found = search
      ? (sqlite
          .prepare(`SELECT count(*) FROM deleted_videos WHERE ${condition}`)
          .pluck()
          .get({ value, ...mineValues }) as number)
      : total.videos;
    const pageCount = Math.max(1, Math.ceil(found / TRASH_PAGE_SIZE));
    const page = Math.min(asked, pageCount);
    const list = sqlite.prepare(`
      SELECT trash.id, title, bytes, deleted_at AS deletedAt, users.email AS deletedBy
      FROM (
        SELECT id, title, bytes, deleted_at, deleted_by FROM deleted_videos
        WHERE ${condition}
        ORDER BY deleted_at DESC, id DESC LIMIT ${TRASH_PAGE_SIZE} OFFSET @offset) AS trash
      LEFT JOIN users ON users.id = deleted_by
      ORDER BY deleted_at DESC, trash.id DESC`);
    const videos = list.all({
      value,
      offset: (page - 1) * TRASH_PAGE_SIZE,
      ...mineValues,
    }) as TrashedVideo[];
    return { videos, page, pageCount, found, total };
  };
}

/** Of ASCII, LIKE knows upper and lower case by itself, and takes a fifth of the time. */
function conditionOf(needle: string): { condition: string; value: string } {
  if (needle === "") return { condition: "@value = ''", value: "" };
  if (!/^[ -~]*$/.test(needle)) return { condition: "title_holds(title, @value)", value: needle };
  const pattern = needle.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
  return { condition: "title LIKE @value ESCAPE '\\'", value: `%${pattern}%` };
}
