import { ladderSettings } from "~/media/encode/encoders.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { settings } from "~/platform/settings.server";
import { partsOf } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { queryThread } from "~db/threads/query-thread.server";
import { jobsChanged } from "./job-events.server";
import { OUTDATED_SQL } from "./outdated-streams.server";

/** What is converted again goes behind everything else, each video behind the one before it. */
const AGAIN_PRIORITY = 1_000;
const VIDEOS_AT_ONCE = 200;

/**
 * Asks for the streams of all videos that were made with other settings than today's. What is there is
 * served until the new one is; asked again, the order is made anew.
 *
 * @returns how many videos wait for it now.
 */
export async function convertAgain(): Promise<number> {
  if (!ffmpegAvailable()) return 0;
  const values = { settings: ladderSettings(), least: AGAIN_PRIORITY };
  const ids = await queryThread<string[]>("studio", "outdated-streams", values.settings);
  // Of one that was asked for otherwise the priority stays.
  const ask = prepared(/* sql */ `
    INSERT INTO jobs (video_id, kind, priority, run_after)
    SELECT id, 'ladder', @priority, @now FROM videos WHERE id = @id AND ${OUTDATED_SQL}
    ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', priority = @priority,
      attempts = 0, progress = 0, reason = NULL, finished_at = NULL, run_after = @now
    WHERE state IN ('done', 'failed') OR (state = 'waiting' AND priority >= @least)`);
  const turn = writingTurns();
  let asked = 0;
  let priority = AGAIN_PRIORITY;
  for (const some of partsOf(ids, VIDEOS_AT_ONCE)) {
    await transaction(() => {
      const now = new Date().toISOString();
      for (const id of some) asked += ask.run({ ...values, id, now, priority: priority++ }).changes;
    });
    await turn();
  }
  jobsChanged("work");
  return asked;
}

/**
 * Lets the clean-up of videos whose source may go run once more, since KEEP_SOURCES may have been
 * changed while the site was down. Not of those whose files were compared and are not the same: decoding them
 * at every start would tell nothing new.
 */
export async function askForCleanups(): Promise<void> {
  if (settings().keepSources === "always") return;
  const statement = prepared(/* sql */ `
    UPDATE jobs SET state = 'waiting', attempts = 0, run_after = @now, finished_at = NULL
    WHERE kind = 'cleanup' AND state = 'done' AND reason IS NULL AND video_id IN
      (SELECT id FROM videos WHERE source_url IS NOT NULL AND video_url <> '' AND hls_url IS NOT NULL)`);
  await transaction(() => statement.run({ now: new Date().toISOString() }));
}
