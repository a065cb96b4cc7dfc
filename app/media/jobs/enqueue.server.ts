import type { Kysely } from "kysely";
import { database } from "~db/client.server";
import { JOB_KINDS, type Schema } from "~db/schema";
import { ffmpegAvailable } from "../ffmpeg.server";
import { PRIORITIES } from "./kinds";
import { jobsChanged } from "./wake.server";

/**
 * The file as it came stays at least this long beside its copy, for those who were playing it when
 * the copy took its place.
 */
const SOURCE_KEPT_MS = 6 * 3_600_000;

/**
 * Asks for everything that is made from a video: playable copy, captions, poster, storyboard, hover preview,
 * streaming qualities. Each job looks itself whether there is anything to do. What has been asked
 * for already is left as it stands; without ffmpeg nothing is asked for.
 *
 * Upload and `npm run jobs -- --all` call it. A row that another tool has inserted gets no jobs by
 * itself: its file may still be on its way, or be none of ours.
 */
export async function enqueueFor(...videoIds: string[]): Promise<void> {
  await enqueueIn(database(), videoIds);
  jobsChanged("work");
}

/** The same inside of a transaction; `jobsChanged("work")` is due once it is committed. */
export async function enqueueIn(db: Kysely<Schema>, videoIds: readonly string[]): Promise<void> {
  if (videoIds.length === 0 || !ffmpegAvailable()) return;
  const now = Date.now();
  const jobs = videoIds.flatMap((videoId) =>
    JOB_KINDS.map((kind) => ({
      video_id: videoId,
      kind,
      priority: PRIORITIES[kind],
      run_after: new Date(kind === "tidy" ? now + SOURCE_KEPT_MS : now).toISOString(),
    })),
  );
  await db
    .insertInto("jobs")
    .values(jobs)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Asks for what the videos of the library still lack. Returns how many videos that concerns. */
export async function enqueueMissing(): Promise<number> {
  if (!ffmpegAvailable()) return 0;
  const rows = await database()
    .selectFrom("videos")
    .select("id")
    .where((e) => e.or([e("video_url", "!=", ""), e("source_url", "is not", null)]))
    .where((e) =>
      e.or([
        e("hls_url", "is", null),
        e("storyboard_url", "is", null),
        e("preview_url", "is", null),
        e("thumbnail_url", "is", null),
        e("captions", "is", null),
      ]),
    )
    .execute();
  for (const { id } of rows) await enqueueFor(id);
  return rows.length;
}
