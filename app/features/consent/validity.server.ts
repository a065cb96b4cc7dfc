import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { type ConsentState, dayOf, daysUntil, WARN_DAYS } from "./consent";
import { openBox } from "./performer-box.server";

/** Why a consent record isn't valid. */
export const LACKS = {
  record: "This video has no consent record yet.",
  people: "The consent record doesn’t name everyone who is shown.",
  age: "Somebody shown was not 18 on the day of recording.",
  document: "Somebody shown has no checked proof of identity on file.",
  ended: "The consent record has ended.",
  unreadable: "A consent record can’t be read because the secret that encrypted it is missing.",
} as const;

/** One row for each video whose id is in the JSON list @ids. */
const STATES = `
  SELECT asked.value AS id, consent.video_id IS NOT NULL AS hasRecord, people, ends_on AS endsOn,
    (SELECT count(*) FROM video_performers WHERE video_id = asked.value) AS named,
    (SELECT count(*) FROM video_performers WHERE video_id = asked.value AND of_age = 0) AS young,
    (SELECT count(*) FROM video_performers JOIN performers ON performers.id = performer_id
     WHERE video_id = asked.value AND (checked_on IS NULL OR NOT EXISTS (
       SELECT 1 FROM performer_documents AS document
       WHERE document.performer_id = performers.id AND document.kind = 'identity'))) AS unproved
  FROM json_each(@ids) AS asked LEFT JOIN video_consents AS consent ON consent.video_id = asked.value`;

interface State {
  id: string;
  hasRecord: 0 | 1;
  people: number | null;
  endsOn: string | null;
  named: number;
  young: number;
  unproved: number;
}

/** Returns the videos that must not be public even if no consent is required: ended records and minors. */
export function conflictsOf(
  videoIds: readonly string[],
  now: number,
): { ended: Set<string>; minors: Set<string> } {
  const today = dayOf(now);
  const states = statesOf(videoIds);
  const idsOf = (conflicts: (state: State) => boolean) =>
    new Set(states.filter(conflicts).map(({ id }) => id));
  return {
    ended: idsOf(({ endsOn }) => endsOn !== null && endsOn <= today),
    minors: idsOf(({ young }) => young > 0),
  };
}

/** Returns the videos without a valid record, with the reason. */
export function lacksOf(videoIds: readonly string[], now = Date.now()): Map<string, string> {
  const today = dayOf(now);
  const lacks = new Map<string, string>();
  const readable = new Map<string, boolean>();
  for (const { id, hasRecord, people, endsOn, named, young, unproved } of statesOf(videoIds)) {
    if (!hasRecord) lacks.set(id, LACKS.record);
    else if (young > 0) lacks.set(id, LACKS.age);
    else if (named !== people) lacks.set(id, LACKS.people);
    else if (unproved > 0) lacks.set(id, LACKS.document);
    else if (endsOn !== null && endsOn <= today) lacks.set(id, LACKS.ended);
    else if (!isReadable(id, readable)) lacks.set(id, LACKS.unreadable);
  }
  return lacks;
}

/** Returns why videos can't be published, if consent is required; empty otherwise. */
export function consentRefusals(videoIds: readonly string[], now = Date.now()) {
  return settings().requireConsent ? lacksOf(videoIds, now) : new Map<string, string>();
}

/** Returns the state of each video's record by id; empty if no consent is required. */
export function consentStates(
  videoIds: readonly string[],
  now = Date.now(),
): Record<string, ConsentState> {
  if (!settings().requireConsent) return {};
  const lacks = lacksOf(videoIds, now);
  const ends = new Map(statesOf(videoIds).map(({ id, endsOn }) => [id, endsOn]));
  const stateOf = (id: string): ConsentState => {
    const sentence = lacks.get(id);
    if (sentence) return { kind: "lacking", sentence };
    const endsOn = ends.get(id);
    const days = endsOn ? daysUntil(endsOn, now) : Number.POSITIVE_INFINITY;
    return days <= WARN_DAYS ? { kind: "ending", days } : { kind: "complete" };
  };
  return Object.fromEntries(videoIds.map((id) => [id, stateOf(id)]));
}

function statesOf(videoIds: readonly string[]): State[] {
  return prepared(STATES).all({ ids: JSON.stringify(videoIds) }) as State[];
}

function isReadable(videoId: string, known: Map<string, boolean>): boolean {
  const boxes = prepared(
    "SELECT id, box FROM performers JOIN video_performers ON id = performer_id WHERE video_id = ?",
  ).all(videoId) as { id: string; box: string }[];
  return boxes.every(({ id, box }) => {
    const isOpen = known.get(id) ?? openBox(box) !== undefined;
    known.set(id, isOpen);
    return isOpen;
  });
}
