import { sql } from "kysely";
import type { RelatedQuery, RelatedResult } from "~/features/catalogue/published-index.server";
import { CARD_COLUMNS, cardsAt, toCard } from "~/features/catalogue/published-list.server";
import { preventCaching } from "~/platform/node/page-cache.server";
import { parseDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import type { VideoCardData } from "~/shared/video-card";
import { readCaptions } from "~db/captions";
import { ensureProjected } from "~db/changes.server";
import { database } from "~db/client.server";
import type { VideoStatus } from "~db/schema";
import { readTags } from "~db/tags";
import { queryThread } from "~db/threads/query-thread.server";

/** A video as shown on its page. */
export interface VideoDetail extends VideoCardData {
  status: VideoStatus;
  /** Whether visitors can open the page. */
  isPublic: boolean;
  description: string;
  tags: string[];
  /** A path on this site; empty if there is no file. */
  videoUrl: string;
  /** Whether browsers can't play the file and no part of the converted version can be watched yet. */
  preparing: boolean;
  /** Whether the adaptive playlist is still being encoded. */
  streamIsComing: boolean;
  /** The adaptive playlist, once it exists. */
  hlsUrl?: string;
  /** A WebVTT file whose cues point into sprites, once it exists. */
  storyboardUrl?: string;
  captions: { url: string; language: string; label: string }[];
  /** The integrated loudness and true peak, once they have been measured. */
  loudness?: { lufs: number; truePeak: number };
  durationSeconds: number;
  /** ISO 8601 UTC */
  updatedAt: string;
}

/** Returns a video if visitors can open its page. */
export async function findPublished(id: string): Promise<VideoDetail | undefined> {
  const video = await findVideo(id);
  return video?.isPublic ? video : undefined;
}

/** Returns a video regardless of its status, or undefined if it doesn't exist. The caller must check access. */
export async function findVideo(id: string): Promise<VideoDetail | undefined> {
  const row = await database()
    .selectFrom("videos")
    .select([...CARD_COLUMNS, "description", "tags", "updated_at"])
    .select(["source_url", "hls_url", "storyboard_url", "captions", "loudness", "true_peak"])
    .select(["status", "public", STREAM_IS_COMING.as("streamIsComing")])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    ...toCard(row),
    status: row.status,
    isPublic: row.public === 1,
    description: row.description,
    tags: readTags(row.tags),
    videoUrl: ownMediaPath(row.video_url) ?? "",
    preparing: row.video_url === "" && row.source_url !== null && row.hls_url === null,
    streamIsComing: row.streamIsComing === 1,
    hlsUrl: ownMediaPath(row.hls_url),
    storyboardUrl: ownMediaPath(row.storyboard_url),
    captions: readCaptions(row.captions).flatMap(({ url, language, label }) => {
      const path = ownMediaPath(url);
      return path ? [{ url: path, language, label }] : [];
    }),
    ...(row.loudness !== null &&
      row.true_peak !== null && { loudness: { lufs: row.loudness, truePeak: row.true_peak } }),
    durationSeconds: parseDuration(row.duration) ?? 0,
    updatedAt: row.updated_at,
  };
}

/**
 * True if there is no stream yet, the job that creates it is queued or running, and no failed transcode blocks that
 * job.
 */
const STREAM_IS_COMING = sql<0 | 1>`
  hls_url IS NULL
  AND EXISTS (SELECT 1 FROM jobs WHERE video_id = videos.id AND kind = 'ladder'
    AND state IN ('waiting', 'running'))
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE video_id = videos.id AND kind = 'transcode'
    AND state = 'failed')`;

/** Returns a published video's adaptive playlist. */
export async function publishedStream(id: string): Promise<string | undefined> {
  const row = await database()
    .selectFrom("videos")
    .select("hls_url")
    .where("id", "=", id)
    .where("public", "=", 1)
    .executeTakeFirst();
  return ownMediaPath(row?.hls_url);
}

/** Returns the cards for the given ids, in the same order. Omits videos that aren't listed. */
export async function publishedCards(ids: readonly string[]): Promise<VideoCardData[]> {
  if (ids.length === 0) return [];
  const rows = await database()
    .selectFrom("videos")
    .select(CARD_COLUMNS)
    .where("id", "in", ids)
    .where("listed", "=", 1)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...new Set(ids)].flatMap((id) => {
    const row = byId.get(id);
    return row ? [toCard(row)] : [];
  });
}

/** Returns up to 20 related videos, best match first, or an empty list if no published video has this id. */
export async function relatedVideos(id: string): Promise<VideoCardData[]> {
  const { sortKeys, complete } = await queryRelated(id);
  if (!complete) preventCaching();
  return cardsAt(sortKeys);
}

/**
 * Starts loading the index of related videos and returns whether it is complete. If there are a million videos, loading
 * takes a few seconds after startup.
 */
export async function isRelatedIndexComplete(): Promise<boolean> {
  return (await queryRelated("")).complete;
}

async function queryRelated(id: string): Promise<RelatedResult> {
  await ensureProjected();
  const question: RelatedQuery = { id, now: Date.now() };
  return queryThread<RelatedResult>("related", "related", question);
}
