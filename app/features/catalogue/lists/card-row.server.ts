import type { Selectable } from "kysely";
import { toCategoryId } from "~/shared/categories";
import { storedDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import type { VideoCardData } from "~/shared/video-card";
import type { VideosTable } from "~db/schema";
import { pendingViews } from "../views.server";

/** The columns that a card needs; the long ones stay where they are. */
export const CARD_COLUMNS = [
  "id",
  "title",
  "category",
  "duration",
  "views",
  "created_at",
  "thumbnail_url",
  "poster_colors",
  "video_url",
  "preview_url",
] as const;

export type CardRow = Pick<Selectable<VideosTable>, (typeof CARD_COLUMNS)[number]>;

/** What a card shows of a row: today's category, our own files only, views counted up to now. */
export function toCard(row: CardRow): VideoCardData {
  const clip = ownMediaPath(row.preview_url);
  return {
    id: row.id,
    title: row.title,
    category: toCategoryId(row.category) ?? row.category,
    duration: storedDuration(row.duration),
    views: row.views + pendingViews(row.id),
    createdAt: row.created_at,
    thumbnailUrl: ownMediaPath(row.thumbnail_url) ?? null,
    ...(isColors(row.poster_colors) && { posterColors: row.poster_colors }),
    previewUrl: clip ?? ownMediaPath(row.video_url) ?? "",
    ...(clip && { previewIsClip: true }),
  };
}

/** Any tool may have written the column. */
function isColors(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{24}$/.test(text);
}
