import fs from "node:fs/promises";
import type { Insertable } from "kysely";
import { formatDuration } from "~/catalogue/format";
import { mediaUrl } from "~/media/bucket.server";
import { enqueueFor } from "~/media/jobs/enqueue.server";
import { database } from "~db/client.server";
import type { MediaFilesTable, VideosTable } from "~db/schema";
import type { ImportEntry } from "./entry";
import type { Examined } from "./examine.server";
import { announce, takeBack, withdraw } from "./journal.server";
import {
  flushUploads,
  type ImportMode,
  type Place,
  type PlacedPicture,
  placePicture,
  placesFor,
  placeVideo,
} from "./place-import.server";
import { sideBySide } from "./side-by-side";

/** An entry whose file is a video that the catalogue does not have. */
export interface Candidate {
  entry: ImportEntry;
  bytes: number;
  modifiedMs: number;
  sha256: string | undefined;
  examined: Examined | undefined;
  videoId: string;
}

/** So that the disk already writes while the rest of a batch is copied. */
const FLUSH_EVERY = 300;

interface Placing extends Candidate {
  place?: Place;
  /** Inside the bucket videos; empty without a file. */
  target: string;
  picture?: PlacedPicture;
}

/**
 * Brings a batch into the buckets and its rows into the table.
 *
 * @param failed is told of each that could not be taken; everything of it is as it was before.
 * @returns those that were.
 */
export async function takeBatch(
  candidates: Candidate[],
  options: { userId: string; mode: ImportMode; onProgress?(bytes: number, files: number): void },
  failed: (name: string, error: unknown) => void,
): Promise<Placing[]> {
  const { userId, mode, onProgress } = options;
  const places = placesFor(userId);
  const placing = await sideBySide(candidates, async (candidate): Promise<Placing> => {
    const { entry, examined } = candidate;
    const place = examined && (await places.reserve(entry.stem));
    const target = place ? `${place.stem}.${examined.ending}` : "";
    return { ...candidate, ...(place && { place }), target };
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
  try {
    await insertRows(userId, placed);
  } catch (error) {
    for (const each of placed) await giveUp(each);
    await places.free();
    throw error;
  }
  const finish = sideBySide(placed, async ({ place, entry }) => {
    await place?.free();
    // Only now, so that no instant knows the video by neither its source nor its row.
    if (mode === "move" && entry.file) await fs.rm(entry.file, { force: true });
  });
  await enqueueFor(...placed.filter(({ target }) => target).map(({ videoId }) => videoId));
  await finish;
  await places.free();
  return placed;
}

function planned({ entry, bytes, modifiedMs, videoId, target }: Placing) {
  return entry.file ? [{ source: entry.file, bytes, modifiedMs, videoId, target }] : [];
}

/** A picture that cannot be read is no reason to leave the video out; one is made from it. */
async function addPicture(each: Placing): Promise<void> {
  const { thumbnail } = each.entry;
  if (!thumbnail || !each.place) return;
  each.picture = await placePicture(thumbnail, each.place.stem).catch(() => undefined);
}

/** @param notOurs what stands at the target was there before. */
async function giveUp({ entry, place, target }: Placing, notOurs = false): Promise<void> {
  if (!entry.file) return;
  if (!notOurs) await takeBack(target);
  await place?.free();
  await withdraw([entry.file]);
}

/** All rows of a batch, or none. */
async function insertRows(userId: string, placed: Placing[]): Promise<void> {
  if (placed.length === 0) return;
  const digests = placed.flatMap(({ videoId, sha256 }) =>
    sha256 ? [{ video_id: videoId, sha256 }] : [],
  );
  const files = placed.flatMap(filesOf);
  const sources = placed.flatMap(({ entry }) => entry.file ?? []);
  const now = Date.now();
  await database()
    .transaction()
    .execute(async (transaction) => {
      if (files.length > 0) {
        await transaction
          .insertInto("media_files")
          .values(files)
          // Whoever compared the buckets with the catalogue meanwhile has noted them already.
          .onConflict((conflict) =>
            conflict.columns(["bucket", "path"]).doUpdateSet((e) => ({
              video_id: e.ref("excluded.video_id"),
              kind: e.ref("excluded.kind"),
              bytes: e.ref("excluded.bytes"),
            })),
          )
          .execute();
      }
      await transaction
        .insertInto("videos")
        .values(placed.map((each, index) => rowOf(userId, each, now + index)))
        .execute();
      if (digests.length > 0) {
        await transaction
          .insertInto("video_digests")
          .values(digests)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      if (sources.length === 0) return;
      await transaction
        .updateTable("imports")
        .set({ finished_at: new Date().toISOString() })
        .where("source", "in", sources)
        .execute();
    });
}

function filesOf({ place, target, videoId, bytes, picture }: Placing) {
  if (!place) return [];
  const video = { bucket: "videos", path: target, video_id: videoId, kind: "video", bytes };
  const list = [video as Insertable<MediaFilesTable>];
  if (picture) {
    const path = `${place.stem}.webp`;
    list.push({
      bucket: "thumbnails",
      path,
      video_id: videoId,
      kind: "thumbnail",
      bytes: picture.bytes,
    });
  }
  return list;
}

/** @param time of the row where the entry brings none: in the order of the plan, newest last. */
function rowOf(userId: string, each: Placing, time: number): Insertable<VideosTable> {
  const { entry, examined, place, target, videoId } = each;
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
    thumbnail_url: place && each.picture ? mediaUrl("thumbnails", `${place.stem}.webp`) : null,
    poster_colors: each.picture?.colors ?? null,
    uploaded_by: userId,
    status: entry.status,
    views: entry.views ?? 0,
    created_at: createdAt,
    updated_at: entry.updatedAt ?? createdAt,
  };
}
