import { hold, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { conflictsOf, lacksOf } from "./validity.server";

/**
 * The problems of consent records. Each is a separate cause of a hold. Batches of `hide-lacking.server.ts` are further
 * causes.
 */
export const CONSENT_SOURCES = {
  /** Somebody shown was under 18. */
  minor: "minor",
  /** Somebody shown was under 18, and their record was deleted. Nothing releases this hold. */
  deletedMinor: "deleted-minor",
  ended: "ended",
  /** Published without a valid record although REQUIRE_CONSENT is on. */
  required: "required",
} as const;

/**
 * Updates the holds of videos after their consent records or the day have changed. Synchronous, for the transaction
 * of the caller.
 *
 * @returns how many videos it hid.
 */
export function settleVideos(videoIds: readonly string[], now = Date.now()): number {
  if (videoIds.length === 0) return 0;
  const { ended, minors } = conflictsOf(videoIds, now);
  const lacking = lacksOf(videoIds, now);
  let hidden = 0;
  for (const videoId of videoIds) {
    const wasPublic = isPublic(videoId);
    const causes: string[] = [];
    if (minors.has(videoId)) causes.push(CONSENT_SOURCES.minor);
    if (ended.has(videoId)) causes.push(CONSENT_SOURCES.ended);
    if (settings().requireConsent && lacking.has(videoId) && isPublished(videoId)) {
      causes.push(CONSENT_SOURCES.required);
    }
    for (const sourceId of causes) add(videoId, sourceId, now);
    for (const sourceId of sourcesOf(videoId, "consent")) {
      if (isOver(sourceId, causes, lacking.has(videoId))) release(videoId, sourceId, now);
    }
    if (wasPublic && !isPublic(videoId)) hidden += 1;
  }
  return hidden;
}

function isOver(sourceId: string, causes: readonly string[], isLacking: boolean): boolean {
  const { minor, ended, deletedMinor } = CONSENT_SOURCES;
  if (sourceId === deletedMinor) return false;
  // The others wait for a record that is valid as a whole.
  return sourceId === minor || sourceId === ended ? !causes.includes(sourceId) : !isLacking;
}

function add(videoId: string, sourceId: string, now: number): void {
  if (!hold({ videoId, reason: "consent", sourceId }, now)) return;
  appendToLog({ action: "consent-hold", videoId, detail: { cause: sourceId } }, now);
}

function release(videoId: string, sourceId: string, now: number): void {
  releaseHold({ videoId, reason: "consent", sourceId });
  appendToLog({ action: "consent-release", videoId, detail: { cause: sourceId } }, now);
}

function isPublished(videoId: string): boolean {
  return (
    prepared("SELECT 1 FROM videos WHERE id = ? AND status = 'published'").get(videoId) !==
    undefined
  );
}
