import { comparisonFailures } from "~/features/processing/comparison/compared.server";
import {
  HOLD_MESSAGES,
  hold,
  holdsOf,
  releaseHold,
  sourcesOf,
} from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { recordsSecrets } from "~/platform/secret.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { type ConsentState, dayOf, daysUntil, WARN_DAYS } from "./consent";

export const LACKS = {
  record: "This video has no consent record yet.",
  people: "The consent record doesn’t list everyone who is shown.",
  age: "Someone shown was under 18 on the recording date.",
  document: "A performer’s ID has not been verified.",
  ended: "The consent record has expired.",
  unreadable: "A consent record can’t be read because the secret that encrypted it is missing.",
} as const;

/** A query that returns one row for each video id in the JSON array `@ids`. */
const STATES = `
  SELECT requested.value AS id, consent.video_id IS NOT NULL AS hasRecord, people, ends_on AS endsOn,
    EXISTS (SELECT 1 FROM videos WHERE id = requested.value AND status = 'published') AS isPublished,
    (SELECT count(*) FROM video_performers WHERE video_id = requested.value) AS named,
    (SELECT count(*) FROM video_performers WHERE video_id = requested.value AND of_age = 0) AS young,
    (SELECT count(*) FROM video_performers JOIN performers ON performers.id = performer_id
     WHERE video_id = requested.value AND (checked_on IS NULL OR NOT EXISTS (
       SELECT 1 FROM performer_documents AS document
       WHERE document.performer_id = performers.id AND document.kind = 'identity'))) AS unverified
  FROM json_each(@ids) AS requested LEFT JOIN video_consents AS consent ON consent.video_id = requested.value`;

interface State {
  id: string;
  hasRecord: 0 | 1;
  people: number | null;
  endsOn: string | null;
  named: number;
  young: number;
  unverified: number;
  isPublished: 0 | 1;
}

/** Returns the state of each video's record and what the record lacks. */
function statesOf(videoIds: readonly string[], now: number) {
  const today = dayOf(now);
  const readable = new Map<string, boolean>();
  const rows = prepared<State>(STATES).all({ ids: JSON.stringify(videoIds) });
  return rows.map((row) => {
    const isEnded = row.endsOn !== null && row.endsOn <= today;
    return { ...row, isEnded, lack: lackOf(row, isEnded, readable) };
  });
}

function lackOf(
  { id, hasRecord, people, named, young, unverified }: State,
  isEnded: boolean,
  readable: Map<string, boolean>,
): string | undefined {
  if (!hasRecord) return LACKS.record;
  if (young > 0) return LACKS.age;
  if (named !== people) return LACKS.people;
  if (unverified > 0) return LACKS.document;
  if (isEnded) return LACKS.ended;
  return isReadable(id, readable) ? undefined : LACKS.unreadable;
}

/** Returns the videos without a valid record, with the reason for each. */
export function findLacks(videoIds: readonly string[], now = Date.now()): Map<string, string> {
  return new Map(statesOf(videoIds, now).flatMap(({ id, lack }) => (lack ? [[id, lack]] : [])));
}

/** Returns the reasons why videos can't be published; empty if consent isn't required. */
export function consentRefusals(videoIds: readonly string[], now = Date.now()) {
  return settings().requireConsent ? findLacks(videoIds, now) : new Map<string, string>();
}

/** Returns the state of each video's record by video id; empty if consent isn't required. */
export function consentStates(
  videoIds: readonly string[],
  now = Date.now(),
): Record<string, ConsentState> {
  if (!settings().requireConsent) return {};
  const stateOf = ({ lack, endsOn }: { lack?: string; endsOn: string | null }): ConsentState => {
    if (lack) return { kind: "lacking", message: lack };
    const days = endsOn ? daysUntil(endsOn, now) : Number.POSITIVE_INFINITY;
    return days <= WARN_DAYS ? { kind: "expiring", days } : { kind: "complete" };
  };
  return Object.fromEntries(statesOf(videoIds, now).map((state) => [state.id, stateOf(state)]));
}

function isReadable(videoId: string, known: Map<string, boolean>): boolean {
  const payloads = prepared<{ id: string; payload: string }>(
    "SELECT id, payload FROM performers JOIN video_performers ON id = performer_id WHERE video_id = ?",
  ).all(videoId);
  return payloads.every(({ id, payload }) => {
    const isOpen = known.get(id) ?? decryptPayload(payload) !== undefined;
    known.set(id, isOpen);
    return isOpen;
  });
}

/**
 * The problems that a consent record can have. Each is a separate source of holds. The batches in
 * `consent-holds.server.ts` are additional sources.
 */
export const CONSENT_SOURCES = {
  /** Someone shown in the video was under 18. */
  minor: "minor",
  /** Someone shown in the video was under 18, and their record was deleted. This hold is never released. */
  deletedMinor: "deleted-minor",
  ended: "ended",
  /** Published without a valid record although REQUIRE_CONSENT is on. */
  required: "required",
} as const;

/**
 * Updates the holds on videos after their consent records or the date have changed. Synchronous, so that it can run
 * within the caller's transaction.
 *
 * @returns the number of videos that were public and are now hidden.
 */
export function updateConsentHolds(videoIds: readonly string[], now = Date.now()): number {
  if (videoIds.length === 0) return 0;
  let hidden = 0;
  for (const { id: videoId, isEnded, young, lack, isPublished } of statesOf(videoIds, now)) {
    const wasPublic = isPublic(videoId);
    const causes: string[] = [];
    if (young > 0) causes.push(CONSENT_SOURCES.minor);
    if (isEnded) causes.push(CONSENT_SOURCES.ended);
    if (settings().requireConsent && lack && isPublished) causes.push(CONSENT_SOURCES.required);
    for (const sourceId of causes) holdForConsent(videoId, sourceId, now);
    for (const sourceId of sourcesOf(videoId, "consent")) {
      if (isOver(sourceId, causes, lack !== undefined)) release(videoId, sourceId, now);
    }
    if (wasPublic && !isPublic(videoId)) hidden += 1;
  }
  return hidden;
}

function isOver(sourceId: string, causes: readonly string[], isLacking: boolean): boolean {
  const { minor, ended, deletedMinor } = CONSENT_SOURCES;
  if (sourceId === deletedMinor) return false;
  // The other sources are released only once the whole record is valid.
  return sourceId === minor || sourceId === ended ? !causes.includes(sourceId) : !isLacking;
}

/** Puts a video on hold because of its consent record, and logs this. Needs a transaction. */
export function holdForConsent(videoId: string, sourceId: string, now: number): void {
  if (!hold({ videoId, reason: "consent", sourceId }, now)) return;
  appendToLog({ action: "consent-hold", videoId, detail: { cause: sourceId } }, now);
}

function release(videoId: string, sourceId: string, now: number): void {
  releaseHold({ videoId, reason: "consent", sourceId });
  appendToLog({ action: "consent-release", videoId, detail: { cause: sourceId } }, now);
}

/**
 * Stores REQUIRE_CONSENT in the database at startup. If it is on, triggers put on hold any video that is published
 * without a valid record, in the same statement and even if another tool publishes the video. Turning the setting off
 * doesn't release anything; otherwise, losing the setting by accident would publish videos. Owners can release the
 * videos on hold, see `releaseHidden`.
 */
export function applyConsentRequirement(): void {
  prepared(
    settings().requireConsent
      ? "INSERT OR IGNORE INTO consent_requirement (id) VALUES (1)"
      : "DELETE FROM consent_requirement",
  ).run();
}

/** A performer's encrypted data. */
export interface PerformerPayload {
  legalName: string;
  /** YYYY-MM-DD */
  dateOfBirth: string;
}

const PURPOSE = "performer";

export function encryptPayload(payload: PerformerPayload): string {
  return encrypt(PURPOSE, JSON.stringify(payload), recordsSecrets());
}

/** Decrypts the data; undefined if it wasn't encrypted with any of the known secrets. */
export function decryptPayload(payload: string): PerformerPayload | undefined {
  const text = decrypt(PURPOSE, payload, recordsSecrets());
  return text === undefined ? undefined : (JSON.parse(text) as PerformerPayload);
}

/**
 * Returns the reasons why videos can't be published: a message for each video that is on hold or has no valid consent
 * record. Code that publishes on behalf of a user calls this function first, within its transaction if it has one.
 */
export function refusalsOf(videoIds: readonly string[]): Map<string, string> {
  const refusals = consentRefusals(videoIds);
  const uncompared: string[] = [];
  for (const [id, [reason]] of holdsOf(videoIds)) {
    // The message about what the record lacks is more specific.
    const hasMessage = reason === "consent" && refusals.has(id);
    if (reason && !hasMessage) refusals.set(id, HOLD_MESSAGES[reason]);
    if (reason === "comparing") uncompared.push(id);
  }
  for (const [id, { why }] of comparisonFailures(uncompared))
    refusals.set(id, comparisonMessage(why));
  return refusals;
}

/** Returns the message for a video whose comparison with the block list has permanently failed. */
function comparisonMessage(why: string): string {
  return `This video couldn’t be compared with the block list: ${why} An editor has to watch it or retry the comparison.`;
}

/** Returns the reason why a new video can't be published; undefined if it can be. */
export function newVideoRefusal(): string | undefined {
  return settings().requireConsent ? LACKS.record : undefined;
}
