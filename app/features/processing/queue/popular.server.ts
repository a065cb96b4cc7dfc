import { extraCodecs } from "~/media/encode/codecs/extra-codecs.server";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { jobsChanged } from "./job-events.server";
import { PRIORITIES } from "./kinds";

/** Behind the streams that are made again too, of which each has its own priority from 1,000 on. */
const POPULAR_PRIORITY = 100_000_000;

/**
 * Asks for further codecs of the streams of public videos with enough views, the most viewed first.
 *
 * @returns how many videos that concerns.
 */
export async function enqueuePopular(): Promise<number> {
  if (extraCodecs().length === 0) return 0;
  const { encoderCodecsViews } = settings();
  const ids = await queryThread<string[]>("studio", "popular-streams", encoderCodecsViews);
  if (ids.length === 0) return 0;
  const statement = prepared(/* sql */ `
    INSERT INTO jobs (video_id, kind, priority, run_after)
    SELECT id, 'codecs', @priority, @now FROM videos
    WHERE id IN (SELECT value FROM json_each(@ids)) AND hls_url IS NOT NULL AND video_url <> ''
    ON CONFLICT (video_id, kind) DO NOTHING`);
  const values = {
    priority: POPULAR_PRIORITY,
    now: new Date().toISOString(),
    ids: JSON.stringify(ids),
  };
  const asked = await transaction(() => statement.run(values).changes);
  if (asked > 0) jobsChanged("work");
  return asked;
}

/**
 * Asks for further codecs of the stream of one video, however many views it has. A stream that is still
 * made gets them once it is whole.
 *
 * @returns whether that is new: not where no codec can be made, without a stream, and where they wait
 *   already.
 */
export async function enqueueCodecs(videoId: string): Promise<boolean> {
  if (extraCodecs().length === 0) return false;
  const statement = prepared(/* sql */ `
    INSERT INTO jobs (video_id, kind, priority, run_after)
    SELECT id, 'codecs', @priority, @now FROM videos WHERE id = @videoId AND hls_url IS NOT NULL
    ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', attempts = 0, progress = 0,
      priority = @priority, reason = NULL, finished_at = NULL, run_after = @now
    WHERE state IN ('done', 'failed')`);
  const values = { priority: PRIORITIES.codecs, now: new Date().toISOString(), videoId };
  const asked = await transaction(() => statement.run(values).changes);
  if (asked > 0) jobsChanged("work");
  return asked > 0;
}
