import { settings } from "~/server/settings.server";
import { prepared } from "~db/client.server";
import { hold, releaseHold } from "../holds.server";
import { appendToLog } from "../moderation-log.server";
import { endWait } from "./requirement.server";
import { endedOrYoung, lacksOf } from "./validity.server";

/**
 * Brings videos in line with their records, after a change of these or of the day: one with a minor, or
 * with a record that has ended, is held and hidden. One whose hold is over stays hidden until somebody
 * publishes it; what only waits for its record at its time is published by the next check. Where consent is required, what is public and is not valid any more is hidden.
 * Synchronous, for any transaction.
 *
 * @returns how many it hid.
 */
export function settleVideos(videoIds: readonly string[], now = Date.now()): number {
  if (videoIds.length === 0) return 0;
  const bad = endedOrYoung(videoIds, now);
  const lacking = settings().requireConsent ? lacksOf(videoIds, now) : new Map<string, string>();
  const isPublic = prepared("SELECT 1 FROM videos WHERE id = ? AND status = 'published'");
  let hidden = 0;
  for (const videoId of videoIds) {
    const wasPublic = isPublic.get(videoId) !== undefined;
    if (bad.has(videoId)) {
      if (hold({ videoId, reason: "consent" }, now)) {
        appendToLog({ action: "consent-hold", videoId }, now);
      }
    } else {
      release(videoId, now);
      if (!lacking.has(videoId)) endWait(videoId);
      if (wasPublic && lacking.has(videoId)) {
        prepared("UPDATE videos SET status = 'hidden' WHERE id = ?").run(videoId);
        appendToLog({ action: "consent-hide", videoId }, now);
      }
    }
    if (wasPublic && isPublic.get(videoId) === undefined) hidden += 1;
  }
  return hidden;
}

function release(videoId: string, now: number): void {
  // Nothing comes back by itself: a person has to look at what the new record says.
  prepared(
    "UPDATE video_holds SET was_published = 0 WHERE video_id = ? AND reason = 'consent'",
  ).run(videoId);
  if (releaseHold({ videoId, reason: "consent" })) {
    appendToLog({ action: "consent-release", videoId }, now);
  }
}
