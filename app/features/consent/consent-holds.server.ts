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
import { LACKS_RECORD, type Lacking } from "./lacking.server";
import { CONSENT_SOURCES, lacksOf, settleVideos } from "./validity.server";

const EVERY_MS = 60_000;
/** In one transaction. */
const VIDEOS_AT_ONCE = 32;
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
export function hideEnded(now = Date.now()): Promise<number> {
  // Held ones are left out: once is enough, whatever their status is.
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
    (ids) => settleVideos(ids, now),
  );
}

/** Updates the holds of all videos that are on hold because of their record. */
export async function settleHeld(now = Date.now()): Promise<void> {
  const next = prepared<string>(
    `SELECT DISTINCT video_id FROM video_holds WHERE reason = 'consent' AND video_id > ?
     ORDER BY video_id LIMIT ${VIDEOS_AT_ONCE}`,
  ).pluck();
  await changeInBatches<string>(
    (after = "") => next.all(after),
    (ids) => settleVideos(ids, now),
  );
}

export interface ExpiringRecord {
  id: string;
  title: string;
  /** YYYY-MM-DD */
  endsOn: string;
}

/** Returns the public videos whose record ends within 30 days, sorted by that day. */
export function expiringSoon(now = Date.now()): ExpiringRecord[] {
  return prepared<ExpiringRecord>(
    `SELECT videos.id, title, ends_on AS endsOn FROM video_consents
     JOIN videos ON videos.id = video_id
     WHERE ends_on > @today AND ends_on <= @until AND public
     ORDER BY ends_on, video_id LIMIT ${LISTED}`,
  ).all({ today: dayOf(now), until: dayAfter(now, WARN_DAYS) });
}

/** Begins the `source_id` of the holds of one batch. */
const BATCH = "hidden:";

export function lacking(now = Date.now()): Promise<Lacking> {
  return queryThread<Lacking>("studio", "lacking-consent", { now });
}

/** The public videos with a number above that lack a record, a few at a time. */
const NEXT = `SELECT number, id FROM videos
  WHERE number > @after AND public AND ${LACKS_RECORD} ORDER BY number LIMIT ${VIDEOS_AT_ONCE}`;

/**
 * Holds the public videos without a valid record, until they have one or an owner undoes the batch. Commits in parts,
 * so that others can write in between.
 *
 * @returns how many it hid.
 */
export async function hideLacking(userId: string, now = Date.now()): Promise<number> {
  const sourceId = `${BATCH}${randomUUID()}`;
  const next = prepared<{ number: number; id: string }>(NEXT);
  const today = dayOf(now);
  const hidden = await changeInBatches<{ number: number; id: string }>(
    (last) => next.all({ today, after: last?.number ?? 0 }),
    (rows) => {
      // Checked again: a record may have been saved meanwhile.
      const ids = rows.map(({ id }) => id);
      const held = [...lacksOf(ids, now).keys()].filter(
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
  /** The `source_id` of their holds. */
  source: string;
  videos: number;
  /** When the first was hidden, ISO 8601 UTC. */
  since: string;
  /** Whether an owner hid them together; otherwise they were published while a record was required. */
  isBatch: boolean;
}

/**
 * Returns the groups that can be released: each batch, and, if records are no longer required, the videos that are
 * still on hold for theirs.
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
 * Releases the holds of one of `hiddenVideos`. Other holds of these videos stay.
 *
 * @returns how many videos are public again; undefined if there are no such holds.
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
