import { prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { dayAfter, dayOf, WARN_DAYS } from "./consent";
import { CONSENT_SOURCES, settleVideos } from "./validity.server";

const EVERY_MS = 60_000;
/** In one transaction. */
const AT_ONCE = 32;
const LISTED = 50;

/**
 * Starts to hide videos whose record has ended, once a minute. Also releases videos that were on hold because a
 * secret was missing, if the secret is back.
 */
export function startConsent(): void {
  settleHeld().catch((error) => console.error("Consent records could not be checked:", error));
  every(EVERY_MS, "hide videos whose record has ended", () => hideEnded(), { firstMs: 0 });
}

/**
 * Holds the videos whose record has ended.
 *
 * @returns how many videos.
 */
export async function hideEnded(now = Date.now()): Promise<number> {
  const today = dayOf(now);
  const turn = writingTurns();
  let hidden = 0;
  let after = "";
  for (;;) {
    // Held ones are left out: once is enough, whatever their status is.
    const ids = prepared(
      `SELECT video_id FROM video_consents INDEXED BY video_consents_by_end
       WHERE ends_on <= @today AND video_id > @after AND NOT EXISTS (SELECT 1 FROM video_holds
           WHERE video_holds.video_id = video_consents.video_id AND reason = 'consent'
             AND source_id = '${CONSENT_SOURCES.ended}')
       ORDER BY video_id LIMIT ${AT_ONCE}`,
    )
      .pluck()
      .all({ today, after }) as string[];
    if (ids.length === 0) return hidden;
    hidden += await transaction(() => settleVideos(ids, now));
    after = ids.at(-1)!;
    await turn();
  }
}

/** Updates the holds of all videos that are on hold because of their record. */
export async function settleHeld(now = Date.now()): Promise<void> {
  const turn = writingTurns();
  let after = "";
  for (;;) {
    const ids = prepared(
      `SELECT DISTINCT video_id FROM video_holds WHERE reason = 'consent' AND video_id > ?
       ORDER BY video_id LIMIT ${AT_ONCE}`,
    )
      .pluck()
      .all(after) as string[];
    if (ids.length === 0) return;
    await transaction(() => settleVideos(ids, now));
    after = ids.at(-1)!;
    await turn();
  }
}

export interface EndingRecord {
  id: string;
  title: string;
  /** YYYY-MM-DD */
  endsOn: string;
}

/** Returns the public videos whose record ends within 30 days, sorted by that day. */
export function endingSoon(now = Date.now()): EndingRecord[] {
  return prepared(
    `SELECT videos.id, title, ends_on AS endsOn FROM video_consents
     JOIN videos ON videos.id = video_id
     WHERE ends_on > @today AND ends_on <= @until AND public
     ORDER BY ends_on, video_id LIMIT ${LISTED}`,
  ).all({ today: dayOf(now), until: dayAfter(now, WARN_DAYS) }) as EndingRecord[];
}
