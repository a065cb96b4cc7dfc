import { recordActivity } from "~/account/activity.server";
import { prepared, sqliteHandle, writeTransaction } from "~db/client.server";
import type { HoldReason } from "~db/schema/moderation";
import { publishReleased } from "./consent/requirement.server";

/**
 * Videos that nothing publishes until their holds are gone. A trigger hides what another program publishes
 * all the same. `publication.server.ts` says why; whoever makes or ends a hold writes the log beside it.
 */

/** Why a video is not published, most lasting first. One sentence each, for whoever asks. */
export const HOLD_SENTENCES: Record<HoldReason, string> = {
  removed: "A moderator has removed this video, and only the reports page can bring it back.",
  "user-blocked": "The account that uploaded this video is blocked.",
  "block-list": "This video resembles one that was removed. A moderator has to look at it first.",
  report: "This video is held back until a moderator has decided on a report about it.",
  comparing:
    "This video is still being compared with the films that were removed. It is held back until that is done.",
  consent: "This video is held back until it has a valid record of consent.",
};

/** What to hold a video for. */
export interface Hold {
  videoId: string;
  reason: HoldReason;
  /** The report that is the cause. Each report has a hold of its own. */
  reportId?: string;
}

/**
 * Holds a video, and hides it at once where it is public. Synchronous, for any transaction.
 *
 * @returns false when it was held for this cause before.
 * @throws outside of a transaction.
 */
export function hold({ videoId, reason, reportId }: Hold, now = Date.now()): boolean {
  requireTransaction();
  const isPublished =
    prepared("SELECT 1 FROM videos WHERE id = ? AND status = 'published'").get(videoId) !==
    undefined;
  const { changes } = prepared(
    `INSERT INTO video_holds (video_id, reason, source_id, since, was_published)
     VALUES (@videoId, @reason, @reportId, @since, @wasPublished) ON CONFLICT DO NOTHING`,
  ).run({
    ...{ videoId, reason, reportId: reportId ?? "" },
    since: new Date(now).toISOString(),
    wasPublished: Number(isPublished),
  });
  if (isPublished) prepared("UPDATE videos SET status = 'hidden' WHERE id = ?").run(videoId);
  return changes > 0;
}

/**
 * Ends the hold of one cause. With the last one the video is published again, if it was before or has
 * become due since. One in the trash is once somebody restores it. Synchronous, for any transaction.
 *
 * @returns false when it was not held for this cause.
 * @throws outside of a transaction.
 */
export function releaseHold({ videoId, reason, reportId = "" }: Hold): boolean {
  requireTransaction();
  const wasPublished = prepared(
    `DELETE FROM video_holds WHERE video_id = ? AND reason = ? AND source_id = ?
     RETURNING was_published`,
  )
    .pluck()
    .get(videoId, reason, reportId) as 0 | 1 | undefined;
  if (wasPublished === undefined) return false;
  if (wasPublished === 0) return true;
  const { changes } = prepared("UPDATE video_holds SET was_published = 1 WHERE video_id = ?").run(
    videoId,
  );
  if (changes > 0) return true;
  publishReleased(videoId);
  prepared(
    `UPDATE deleted_videos SET "row" = json_set("row", '$.status', 'published') WHERE id = ?`,
  ).run(videoId);
  return true;
}

/** Notes whether a held video was to be public by now: then it is when its last hold goes. */
export function withhold(videoId: string, isToBePublic: boolean): void {
  prepared("UPDATE video_holds SET was_published = ? WHERE video_id = ?").run(
    Number(isToBePublic),
    videoId,
  );
}

/** The reasons for which videos are held, for those that are. */
export function holdsOf(videoIds: readonly string[]): Map<string, HoldReason[]> {
  const rows = prepared(
    `SELECT DISTINCT video_id, reason FROM video_holds
     WHERE video_id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(videoIds)) as { video_id: string; reason: HoldReason }[];
  const found = new Map<string, HoldReason[]>();
  for (const { video_id, reason } of rows) {
    found.set(video_id, [...(found.get(video_id) ?? []), reason]);
  }
  return found;
}

/**
 * Hides held videos that are public all the same: the database file may have been rebuilt by another
 * program, without its triggers. Asked at the start.
 *
 * @returns how many it hid.
 */
export async function hideHeld(): Promise<number> {
  const held = prepared(
    `SELECT DISTINCT videos.id, title FROM video_holds JOIN videos ON videos.id = video_id
     WHERE +status = 'published'`,
  ).all() as { id: string; title: string }[];
  for (const { id, title } of held) {
    await writeTransaction(() =>
      prepared("UPDATE videos SET status = 'hidden' WHERE id = ?").run(id),
    );
    await recordActivity({ userId: null, action: "hold-kept", subjectId: id, detail: title });
  }
  return held.length;
}

function requireTransaction(): void {
  if (!sqliteHandle().inTransaction) throw new Error("A hold is written in a transaction.");
}
