import { prepared } from "~db/client.server";
import { requireTransaction } from "~db/run-query.server";
import type { HoldReason } from "~db/schema/moderation";

/**
 * Holds: while a video has a hold, it isn't public, regardless of its status. Each row has one cause, so that releasing
 * one hold never releases another. The code that adds or releases a hold also writes the log entry.
 */

/** The reasons why a video isn't public, with the most permanent reason first. */
export const HOLD_MESSAGES: Record<HoldReason, string> = {
  removed: "A moderator removed this video. It can only be restored from the report.",
  "user-blocked": "The account that uploaded this video is blocked.",
  "block-list":
    "This video is on hold because it resembles a removed video. An editor has to check it first.",
  report: "This video is on hold until a moderator decides on a report about it.",
  scan: "This video is on hold until it passes the scan or an editor releases it.",
  comparing: "This video is on hold until it has been compared with the removed videos.",
  consent: "This video is on hold until it has a valid consent record.",
};

const BY_WEIGHT = Object.keys(HOLD_MESSAGES) as HoldReason[];

/** A cause for putting a video on hold. */
export interface Hold {
  videoId: string;
  reason: HoldReason;
  /** Distinguishes causes with the same reason, for example by the id of a report or of a blocked account. */
  sourceId?: string;
}

/**
 * Puts a video on hold. Synchronous, because it is called in the caller's transaction.
 *
 * @returns whether the hold is new.
 */
export function hold({ videoId, reason, sourceId = "" }: Hold, now = Date.now()): boolean {
  requireTransaction();
  const { changes } = prepared(
    `INSERT INTO video_holds (video_id, reason, source_id, since) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  ).run(videoId, reason, sourceId, new Date(now).toISOString());
  return changes > 0;
}

/**
 * Releases the hold for one cause. The video becomes public again if it has no other holds and its status allows it.
 * Synchronous, because it is called in the caller's transaction.
 *
 * @returns whether the video was on hold for this cause.
 */
export function releaseHold({ videoId, reason, sourceId = "" }: Hold): boolean {
  requireTransaction();
  const { changes } = prepared(
    "DELETE FROM video_holds WHERE video_id = ? AND reason = ? AND source_id = ?",
  ).run(videoId, reason, sourceId);
  return changes > 0;
}

/** Returns the reasons for videos' holds, the most permanent first. Omits videos without a hold. */
export function holdsOf(videoIds: readonly string[]): Map<string, HoldReason[]> {
  const rows = prepared<{ video_id: string; reasons: string }>(
    `SELECT video_id, json_group_array(DISTINCT reason) AS reasons FROM video_holds
     WHERE video_id IN (SELECT value FROM json_each(?)) GROUP BY video_id`,
  ).all(JSON.stringify(videoIds));
  return new Map(
    rows.map(({ video_id, reasons }) => {
      const held = JSON.parse(reasons) as HoldReason[];
      return [video_id, BY_WEIGHT.filter((reason) => held.includes(reason))];
    }),
  );
}

/** Returns the `source_id` of each of a video's holds that has this reason. */
export function sourcesOf(videoId: string, reason: HoldReason): string[] {
  return prepared<string>("SELECT source_id FROM video_holds WHERE video_id = ? AND reason = ?")
    .pluck()
    .all(videoId, reason);
}

/**
 * Returns the videos that are on hold for one cause, regardless of the state of their rows: another tool may have
 * deleted the rows, or inserted them again with other values.
 */
export function heldFor(reason: HoldReason, sourceId: string): string[] {
  return prepared<string>("SELECT video_id FROM video_holds WHERE reason = ? AND source_id = ?")
    .pluck()
    .all(reason, sourceId);
}

/**
 * Corrects the `held` flag of videos whose holds don't match it, because another tool may have rebuilt the database
 * without its triggers. Called at startup.
 *
 * @returns the number of corrected videos.
 */
export function correctHeld(): number {
  const held = "(SELECT video_id FROM video_holds)";
  const hidden = prepared(`UPDATE videos SET held = 1 WHERE held = 0 AND id IN ${held}`).run();
  const shown = prepared(`UPDATE videos SET held = 0 WHERE held = 1 AND id NOT IN ${held}`).run();
  return hidden.changes + shown.changes;
}
