import fs from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Insertable, Transaction } from "kysely";
import { mediaUrl } from "~/media/bucket.server";
import { enqueueIn } from "~/media/jobs/enqueue.server";
import { jobsChanged } from "~/media/jobs/job-events.server";
import { type MediaFile, recordFile } from "~/media/media-files.server";
import { formatDuration } from "~/shared/format";
import { sideBySide } from "~/shared/map-concurrently";
import { database } from "~db/client.server";
import type { Schema, VideosTable } from "~db/schema";
import type { ImportEntry } from "./entry";
import type { ImportActivity } from "./import-activity.server";
import type { Examined } from "./inspect-file.server";
import { announce, takeBack, withdraw } from "./journal.server";
import {
  flushUploads,
  type ImportMode,
  type PlacedPicture,
  placePicture,
  placesFor,
  placeVideo,
} from "./move-files.server";

/** An entry whose file is a video that the catalogue does not have. */
export interface Candidate {
  entry: ImportEntry;
  bytes: number;
  modifiedMs: number;
  sha256: string | undefined;
  examined: Examined | undefined;
  videoId: string;
}

/** In one transaction. */
const ROWS_AT_ONCE = 50;
/** So that the disk already writes while the rest of a batch is copied. */
const FLUSH_EVERY = 300;

interface Placing extends Candidate {
  /** `{userId}/{stamp}`; none without a file. */
  stem?: string;
  /** Inside the bucket videos; empty without a file. */
  target: string;
  picture?: PlacedPicture;
}

export interface BatchOptions {
  userId: string;
  mode: ImportMode;
  /** The one entry of the whole import, which says how many videos it was so far. */
  activity: ImportActivity;
  onProgress?(bytes: number, files: number): void;
}

/**
 * Brings a batch into the buckets and its rows into the table.
 *
 * @param failed is told of each that could not be taken; everything of it is as it was before.
 * @returns those that were.
 */
export async function takeBatch(
  candidates: Candidate[],
  options: BatchOptions,
  failed: (name: string, error: unknown) => void,
): Promise<Placing[]> {
  const places = placesFor(options.userId);
  return bringIn(candidates, places, options, failed).finally(places.free);
}

/** Places the files, then writes their rows. */
async function bringIn(
  candidates: Candidate[],
  places: ReturnType<typeof placesFor>,
  options: BatchOptions,
  failed: (name: string, error: unknown) => void,
): Promise<Placing[]> {
  const { mode, onProgress } = options;
  const placing = await sideBySide(candidates, async (candidate): Promise<Placing> => {
    const { entry, examined } = candidate;
    const stem = examined && (await places.reserve(entry.stem));
    const target = stem ? `${stem}.${examined.ending}` : "";
    return { ...candidate, ...(stem && { stem }), target };
  });
  await announce(placing.flatMap(planned));

  const placed: Placing[] = [];
  let flushing = Promise.resolve();
  await sideBySide(placing, async (each) => {
    try {
      if (each.entry.file) await placeVideo(mode, each.entry.file, each.target);
      await addPicture(each);
      placed.push(each);
      if (placed.length % FLUSH_EVERY === 0) flushing = flushing.then(flushUploads);
    } catch (error) {
      await giveUp(each, (error as NodeJS.ErrnoException).code === "EEXIST");
      failed(each.entry.name, error);
    }
    onProgress?.(each.bytes, 1);
  });
  await flushing;
  await flushUploads();
  // In the order of the plan, whichever was copied first.
  const order = new Map(placing.map((each, index) => [each, index]));
  placed.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  await enterAll(placed, options);
  return placed;
}

/**
 * Writes the rows in small transactions: the lock on the database is held for milliseconds at a time,
 * and is free for as long as it was held before it is taken again.
 *
 * @throws what a transaction threw; what is not in the catalogue by then is as it was before.
 */
async function enterAll(placed: Placing[], { userId, mode, activity }: BatchOptions) {
  const now = Date.now();
  for (let start = 0; start < placed.length; start += ROWS_AT_ONCE) {
    const slice = placed.slice(start, start + ROWS_AT_ONCE);
    const from = performance.now();
    try {
      await database()
        .transaction()
        .execute(async (transaction) => {
          await insertRows(transaction, userId, slice, now + start);
          await activity.count(slice.length, transaction);
        });
    } catch (error) {
      for (const each of placed.slice(start)) await giveUp(each);
      throw error;
    }
    const heldMs = performance.now() - from;
    jobsChanged("work");
    await sideBySide(slice, async ({ entry }) => {
      // Only now, so that no instant knows the video by neither its source nor its row.
      if (mode === "move" && entry.file) await fs.rm(entry.file, { force: true });
    });
    await setTimeout(heldMs);
  }
}

function planned({ entry, bytes, modifiedMs, videoId, target }: Placing) {
  return entry.file ? [{ source: entry.file, bytes, modifiedMs, videoId, target }] : [];
}

/** A picture that cannot be read is no reason to leave the video out; one is made from it. */
async function addPicture(each: Placing): Promise<void> {
  const { thumbnail } = each.entry;
  if (!thumbnail || !each.stem) return;
  each.picture = await placePicture(thumbnail, each.stem).catch(() => undefined);
}

/** @param notOurs what stands at the target was there before. */
async function giveUp({ entry, target }: Placing, notOurs = false): Promise<void> {
  if (!entry.file) return;
  if (!notOurs) await takeBack(target);
  await withdraw([entry.file]);
}

/** All rows of a slice, with the accounting of their files, digests and jobs. */
async function insertRows(
  transaction: Transaction<Schema>,
  userId: string,
  placed: Placing[],
  time: number,
): Promise<void> {
  const digests = placed.flatMap(({ videoId, sha256 }) =>
    sha256 ? [{ video_id: videoId, sha256 }] : [],
  );
  const files = placed.flatMap(filesOf);
  const sources = placed.flatMap(({ entry }) => entry.file ?? []);
  await transaction
    .insertInto("videos")
    .values(placed.map((each, index) => rowOf(userId, each, time + index)))
    .execute();
  for (const file of files) await recordFile(file, transaction);
  if (digests.length > 0) {
    await transaction
      .insertInto("video_digests")
      .values(digests)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const ours = placed.filter(({ target }) => target).map(({ videoId }) => videoId);
  await enqueueIn(transaction, ours);
  if (sources.length === 0) return;
  await transaction
    .updateTable("imports")
    .set({ finished_at: new Date().toISOString() })
    .where("source", "in", sources)
    .execute();
}

function filesOf({ stem, target, videoId, bytes, picture }: Placing): MediaFile[] {
  if (!stem) return [];
  const files: MediaFile[] = [{ bucket: "videos", path: target, videoId, kind: "video", bytes }];
  if (picture) {
    const { bytes } = picture;
    files.push({ bucket: "thumbnails", path: `${stem}.webp`, videoId, kind: "thumbnail", bytes });
  }
  return files;
}

/** @param time of the row where the entry brings none: in the order of the plan, newest last. */
function rowOf(userId: string, each: Placing, time: number): Insertable<VideosTable> {
  const { entry, examined, stem, target, videoId } = each;
  const url = target ? mediaUrl("videos", target) : "";
  const createdAt = entry.createdAt ?? new Date(time).toISOString();
  return {
    id: videoId,
    title: entry.title,
    description: entry.description,
    category: entry.category,
    tags: entry.tags.length > 0 ? JSON.stringify(entry.tags) : null,
    duration: formatDuration(examined?.durationSeconds ?? entry.durationSeconds ?? 0),
    // What browsers cannot play has no video yet, only a source to make one from.
    video_url: examined?.playable === false ? "" : url,
    source_url: examined?.playable === false ? url : null,
    thumbnail_url: stem && each.picture ? mediaUrl("thumbnails", `${stem}.webp`) : null,
    poster_colors: each.picture?.colors ?? null,
    uploaded_by: userId,
    status: entry.status,
    views: entry.views ?? 0,
    created_at: createdAt,
    updated_at: entry.updatedAt ?? createdAt,
  };
}
