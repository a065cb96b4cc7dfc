import { randomUUID } from "node:crypto";
import { hold, releaseHold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import { changeInBatches } from "~db/threads/checkpoint.server";
import { queryThread } from "~db/threads/query-thread.server";
import { dayAfter, dayOf, WARN_DAYS } from "./consent";
import { IS_WITHOUT_RECORD, type VideosWithoutRecord } from "./missing-records.server";
import { CONSENT_SOURCES, findLacks, updateConsentHolds } from "./validity.server";

const EVERY_MS = 60_000;
/** The number of videos changed in one transaction. */
const VIDEOS_AT_ONCE = 32;
const LISTED = 50;

/**
 * Starts the job that puts videos on hold once their consent records have expired. Also releases videos that were on
 * hold because a secret was missing, if the secret is available again.
 */
export function startConsent(): void {
  updateAllConsentHolds().catch((error) =>
    console.error("Consent records could not be checked:", error),
  );
  every(EVERY_MS, "hide videos whose record has expired", () => holdExpired(), { firstMs: 0 });
}

/**
 * Puts videos on hold if their consent records have expired.
 *
 * @returns the number of videos that were put on hold.
 */
export function holdExpired(now = Date.now()): Promise<number> {
  // Videos that are already on hold because their record has expired are skipped, whatever their status.
  const next = prepared<string>(
    `SELECT video_id FROM video_consents INDEXED BY video_consents_by_end
     WHERE ends_on <= @today AND video_id > @after AND NOT EXISTS (SELECT 1 FROM video_holds
         WHERE video_holds.video_id = video_consents.video_id AND reason = 'consent'
           AND source_id = '${CONSENT_SOURCES.ended}')
     ORDER BY video_id LIMIT ${VIDEOS_AT_ONCE}`,
  ).pluck();
  const today = dayOf(now);
  return changeInBatches<string>(
    (after = "") => next.all({ today, after }),
    (ids) => updateConsentHolds(ids, now),
  );
}

/** Updates the holds on all videos whose consent record put them on hold. */
export async function updateAllConsentHolds(now = Date.now()): Promise<void> {
  const next = prepared<string>(
    `SELECT DISTINCT video_id FROM video_holds WHERE reason = 'consent' AND video_id > ?
     ORDER BY video_id LIMIT ${VIDEOS_AT_ONCE}`,
  ).pluck();
  await changeInBatches<string>(
    (after = "") => next.all(after),
    (ids) => updateConsentHolds(ids, now),
  );
}

export interface ExpiringRecord {
  id: string;
  title: string;
  /** YYYY-MM-DD */
  endsOn: string;
}

/** Returns the public videos whose records expire within 30 days, soonest first. */
export function expiringSoon(now = Date.now()): ExpiringRecord[] {
  return prepared<ExpiringRecord>(
    `SELECT videos.id, title, ends_on AS endsOn FROM video_consents
     JOIN videos ON videos.id = video_id
     WHERE ends_on > @today AND ends_on <= @until AND public
     ORDER BY ends_on, video_id LIMIT ${LISTED}`,
  ).all({ today: dayOf(now), until: dayAfter(now, WARN_DAYS) });
}

/** The prefix of `source_id` for the holds in a batch. */
const BATCH = "hidden:";

/** Counts the public videos without a valid record and lists the newest. Runs in the query thread. */
export function videosWithoutRecord(now = Date.now()): Promise<VideosWithoutRecord> {
  return queryThread<VideosWithoutRecord>("studio", "lacking-consent", { now });
}

/** A query for the next batch of public videos without a valid record. */
const NEXT = `SELECT number, id FROM videos
  WHERE number > @after AND public AND ${IS_WITHOUT_RECORD} ORDER BY number LIMIT ${VIDEOS_AT_ONCE}`;

/**
 * Puts all public videos without a valid record on hold, until they have one or an owner undoes the batch. Commits in
 * batches, so that other writes can happen in between.
 *
 * @returns the number of videos that were put on hold.
 */
export async function hideVideosWithoutRecord(userId: string, now = Date.now()): Promise<number> {
  const sourceId = `${BATCH}${randomUUID()}`;
  const next = prepared<{ number: number; id: string }>(NEXT);
  const today = dayOf(now);
  const hidden = await changeInBatches<{ number: number; id: string }>(
    (last) => next.all({ today, after: last?.number ?? 0 }),
    (rows) => {
      // Checked again, because a record may have been saved in the meantime.
      const ids = rows.map(({ id }) => id);
      const held = [...findLacks(ids, now).keys()].filter(
        (videoId) => isPublic(videoId) && hold({ videoId, reason: "consent", sourceId }, now),
      );
      return held.length;
    },
  );
  await record("consent-hide-all", hidden, sourceId, userId, now);
  return hidden;
}

/** A group of videos that are on hold because they have no valid record. */
export interface HiddenVideos {
  /** The `source_id` of the videos' holds. */
  source: string;
  videos: number;
  /** When the first of the videos was hidden (ISO 8601, UTC). */
  since: string;
  /**
   * Whether an owner hid the videos as a batch. If not, they were put on hold because they were published while a
   * record was required.
   */
  isBatch: boolean;
}

/**
 * Returns the groups that can be released: each batch and, if records are no longer required, the videos that have been
 * on hold since records were required.
 */
export function hiddenVideos(): HiddenVideos[] {
  const rows = prepared<Omit<HiddenVideos, "isBatch"> & { isBatch: 0 | 1 }>(
    `SELECT source_id AS source, count(*) AS videos, min(since) AS since,
       source_id <> @required AS isBatch
     FROM video_holds WHERE reason = 'consent'
       AND ((source_id >= @from AND source_id < @to) OR (source_id = @required AND NOT @isRequired))
     GROUP BY source_id ORDER BY since DESC`,
  ).all({
    from: BATCH,
    to: `${BATCH}~`,
    required: CONSENT_SOURCES.required,
    isRequired: Number(settings().requireConsent),
  });
  return rows.map((row) => ({ ...row, isBatch: row.isBatch === 1 }));
}

/**
 * Releases the holds on one of the groups from `hiddenVideos`. Other holds on these videos stay.
 *
 * @returns the number of videos that are public again; undefined if there are no such holds.
 */
export async function releaseHidden(
  source: string,
  userId: string,
  now = Date.now(),
): Promise<number | undefined> {
  if (!hiddenVideos().some((each) => each.source === source)) return undefined;
  const next = prepared<string>(
    `SELECT video_id FROM video_holds WHERE reason = 'consent' AND source_id = ?
     LIMIT ${VIDEOS_AT_ONCE}`,
  ).pluck();
  const shown = await changeInBatches(
    () => next.all(source),
    (ids) => {
      for (const videoId of ids) releaseHold({ videoId, reason: "consent", sourceId: source });
      return ids.filter(isPublic).length;
    },
  );
  await record("consent-hide-undo", shown, source, userId, now);
  return shown;
}

async function record(
  action: "consent-hide-all" | "consent-hide-undo",
  videos: number,
  source: string,
  userId: string,
  now: number,
): Promise<void> {
  await transaction(() => {
    appendToLog({ action, userId, detail: { source, videos } }, now);
    recordActivity({ userId, action, detail: formatQuantity(videos, "video") });
  });
}
