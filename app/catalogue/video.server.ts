import { database } from "~db/client.server";
import { CARD_COLUMNS, toCard } from "./card-row.server";
import { parseDuration } from "./format";
import { ownMediaPath } from "./media-path";
import { relatedScore, titleWords } from "./related";
import type { VideoCardData } from "./video-card";

/** What the video page shows. */
export interface VideoDetail extends VideoCardData {
  description: string;
  tags: string[];
  /** A path of this site; empty when there is no file. */
  videoUrl: string;
  /** There is a file, and it is being converted into one that browsers play. */
  preparing: boolean;
  /** The adaptive playlist, once it is made. */
  hlsUrl?: string;
  /** WebVTT whose cues point into sprites, once it is made. */
  storyboardUrl?: string;
  durationSeconds: number;
  /** ISO 8601 UTC */
  updatedAt: string;
}

const RELATED_MOST = 20;

/** The published video of an id, or undefined. */
export async function findPublished(id: string): Promise<VideoDetail | undefined> {
  const row = await database()
    .selectFrom("videos")
    .select([...CARD_COLUMNS, "description", "tags", "updated_at"])
    .select(["source_url", "hls_url", "storyboard_url"])
    .where("id", "=", id)
    .where("status", "=", "published")
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    ...toCard(row),
    description: row.description,
    tags: parseTags(row.tags),
    videoUrl: ownMediaPath(row.video_url) ?? "",
    preparing: row.video_url === "" && row.source_url !== null,
    hlsUrl: ownMediaPath(row.hls_url),
    storyboardUrl: ownMediaPath(row.storyboard_url),
    durationSeconds: parseDuration(row.duration) ?? 0,
    updatedAt: row.updated_at,
  };
}

/** The tags of a row; entries that are no text are left out. */
export function parseTags(tags: string | null): string[] {
  const list: unknown = tags === null ? [] : JSON.parse(tags);
  return Array.isArray(list) ? list.filter((tag) => typeof tag === "string") : [];
}

/** At most 20 published videos, best score first; none when the id is not published. */
export async function relatedVideos(id: string): Promise<VideoCardData[]> {
  const rows = await database()
    .selectFrom("videos")
    .select([...CARD_COLUMNS, "tags"])
    .where("status", "=", "published")
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  const subject = rows.find((row) => row.id === id);
  if (!subject) return [];
  const now = Date.now();
  const scored = (row: (typeof rows)[number]) => ({
    title: row.title,
    category: row.category,
    tags: parseTags(row.tags),
    views: row.views,
    createdAt: row.created_at,
  });
  const words = titleWords(subject.title);
  return rows
    .filter((row) => row.id !== id)
    .map((row) => ({ row, score: relatedScore(scored(subject), words, scored(row), now) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RELATED_MOST)
    .map(({ row }) => toCard(row));
}
