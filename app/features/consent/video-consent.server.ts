import { z } from "zod";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { formatQuantity } from "~/shared/format";
import { prepared, transaction } from "~db/client.server";
import type { VideoStatus } from "~db/schema";
import type { PerformerRow, VideoConsentRow } from "~db/schema/moderation";
import { dayOf, isAdultOn, isDay, RELEASE_LABELS, type ReleaseKind } from "./consent";
import { findPerformersByName } from "./performers.server";
import { decryptPayload, findLacks, updateConsentHolds } from "./validity.server";

const MAX_PEOPLE = 50;

const text = z.string().default("");
/** The form's fields as text. `performers` has one stage name per line. */
export const CONSENT_FORM = z.object({
  ...{ shown: text, kind: text, people: text },
  ...{ performers: text, recordedOn: text, endsOn: text },
});
export type ConsentTexts = Omit<z.infer<typeof CONSENT_FORM>, "shown">;
export type ConsentErrors = Partial<Record<keyof ConsentTexts, string>>;

export type VideoConsent = NonNullable<ReturnType<typeof findVideoConsent>>;

type Named = Pick<PerformerRow, "id" | "stage_names" | "payload"> & { of_age: 0 | 1 };

/**
 * Returns a video's consent record; undefined if the video doesn't exist. `shown` is the version of the record; empty
 * if there is none. `lacks` is undefined if the record is valid.
 */
export function findVideoConsent(videoId: string, now = Date.now()) {
  const video = prepared<{ id: string; title: string; status: VideoStatus; held: 0 | 1 }>(
    "SELECT id, title, status, held FROM videos WHERE id = ?",
  ).get(videoId);
  if (!video) return undefined;
  const record = prepared<VideoConsentRow & { email: string | null }>(
    `SELECT video_consents.*, email FROM video_consents LEFT JOIN users ON users.id = updated_by
     WHERE video_id = ?`,
  ).get(videoId);
  const named = prepared<Named>(
    `SELECT id, stage_names, payload, of_age FROM video_performers
     JOIN performers ON performers.id = performer_id WHERE video_id = ? ORDER BY sort_name, id`,
  ).all(videoId);
  return {
    video,
    typed: {
      kind: record?.kind ?? "own",
      people: String(record?.people ?? ""),
      performers: named.map(lineOf).join("\n"),
      recordedOn: record?.recorded_on ?? "",
      endsOn: record?.ends_on ?? "",
    },
    shown: record?.updated_at ?? "",
    updatedAt: record?.updated_at ?? null,
    updatedBy: record?.email ?? null,
    performers: named.map((one) => ({
      id: one.id,
      name: nameOf(one),
      ofAge: one.of_age === 1,
      isReadable: decryptPayload(one.payload) !== undefined,
    })),
    lacks: findLacks([videoId], now).get(videoId),
    isHeld:
      prepared("SELECT 1 FROM video_holds WHERE video_id = ? AND reason = 'consent'").get(
        videoId,
      ) !== undefined,
  };
}

const nameOf = ({ stage_names }: Pick<PerformerRow, "stage_names">) =>
  stage_names.split("\n")[0] ?? "";

/**
 * Returns the text that identifies a performer in the form, which includes the start of the id if several performers
 * have the same name.
 */
function lineOf(performer: Pick<PerformerRow, "id" | "stage_names">): string {
  const name = nameOf(performer);
  const isOnly = (findPerformersByName([name]).get(name)?.length ?? 0) <= 1;
  return isOnly ? name : `${name} #${performer.id.slice(0, 8)}`;
}

export type SavedConsent = { hidden: number } | { errors: ConsentErrors } | "changed" | "gone";

/**
 * Saves who is shown in a video, and the legal basis.
 *
 * @param shown the version of the record that the form showed.
 */
export function saveVideoConsent(
  { videoId, userId, shown }: { videoId: string; userId: string; shown: string },
  typed: ConsentTexts,
  now = Date.now(),
): Promise<SavedConsent> {
  return transaction((): SavedConsent => {
    if (!prepared("SELECT 1 FROM videos WHERE id = ?").get(videoId)) return "gone";
    const before = prepared<string>("SELECT updated_at FROM video_consents WHERE video_id = ?")
      .pluck()
      .get(videoId);
    if ((before ?? "") !== shown) return "changed";
    const read = readConsent(typed, now);
    if ("errors" in read) return read;
    const { kind, people, recordedOn, endsOn, performers } = read;
    const ages = new Map(
      prepared<[string, 0 | 1]>(
        "SELECT performer_id, of_age FROM video_performers WHERE video_id = ?",
      )
        .raw()
        .all(videoId),
    );
    const wasRecordedOn = prepared("SELECT recorded_on FROM video_consents WHERE video_id = ?")
      .pluck()
      .get(videoId);
    prepared("DELETE FROM video_performers WHERE video_id = ?").run(videoId);
    prepared(
      `INSERT INTO video_consents (video_id, kind, people, recorded_on, ends_on, updated_at, updated_by)
       VALUES (@videoId, @kind, @people, @recordedOn, @endsOn, @at, @userId)
       ON CONFLICT (video_id) DO UPDATE SET kind = @kind, people = @people,
         recorded_on = @recordedOn, ends_on = @endsOn, updated_at = @at, updated_by = @userId,
         expiry_alert_id = iif(ends_on IS @endsOn, expiry_alert_id, NULL)`,
    ).run({ videoId, kind, people, recordedOn, endsOn, userId, at: new Date(now).toISOString() });
    for (const { id, dateOfBirth } of performers) {
      // If the date of birth can't be read, the earlier result is kept as long as the recording date doesn't change.
      const known = wasRecordedOn === recordedOn ? ages.get(id) : undefined;
      const ofAge = dateOfBirth ? Number(isAdultOn(dateOfBirth, recordedOn)) : (known ?? 0);
      prepared(
        "INSERT INTO video_performers (video_id, performer_id, of_age) VALUES (?, ?, ?)",
      ).run(videoId, id, ofAge);
    }
    const detail = { people, kind, ends: endsOn };
    appendToLog({ action: "consent-record", videoId, userId, detail }, now);
    return { hidden: updateConsentHolds([videoId], now) };
  });
}

interface ReadConsent {
  kind: ReleaseKind;
  people: number;
  recordedOn: string;
  endsOn: string | null;
  performers: { id: string; dateOfBirth?: string }[];
}

function readConsent(typed: ConsentTexts, now: number): ReadConsent | { errors: ConsentErrors } {
  const errors: ConsentErrors = {};
  const today = dayOf(now);
  if (!Object.hasOwn(RELEASE_LABELS, typed.kind)) errors.kind = "Please choose a legal basis.";
  const people = /^\d{1,2}$/.test(typed.people.trim()) ? Number(typed.people) : undefined;
  if (people === undefined || people > MAX_PEOPLE) {
    errors.people = `Please enter a number from 0 to ${MAX_PEOPLE}.`;
  }
  if (!isDay(typed.recordedOn) || typed.recordedOn > today) {
    errors.recordedOn = "Please enter the recording date. It can’t be in the future.";
  }
  const endsOn = typed.endsOn || null;
  if (endsOn !== null && !isDay(endsOn)) errors.endsOn = "Please enter a date such as 2030-12-31.";
  const found = findPerformers(typed.performers);
  if ("error" in found) errors.performers = found.error;
  else if (people !== undefined && found.rows.length > people) {
    errors.people = `You listed ${formatQuantity(found.rows.length, "performer")} below. Enter at least ${found.rows.length}.`;
  }
  if (Object.keys(errors).length > 0 || "error" in found) return { errors };
  return {
    kind: typed.kind as ReleaseKind,
    people: people!,
    recordedOn: typed.recordedOn,
    endsOn,
    performers: found.rows.map(({ id, payload }) => ({ id, ...decryptPayload(payload) })),
  };
}

function findPerformers(
  text: string,
): { rows: { id: string; payload: string }[] } | { error: string } {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.normalize("NFC").replace(/\s+/g, " ").trim());
  const rows = new Map<string, string>();
  const payloadOf = prepared<string>("SELECT payload FROM performers WHERE id = ?").pluck();
  for (const line of new Set(lines.filter(Boolean))) {
    if (rows.size > MAX_PEOPLE) return { error: `Please enter at most ${MAX_PEOPLE} stage names.` };
    const [, short = line, start = ""] = /^(.*) #([0-9a-f]{8})$/.exec(line) ?? [];
    const all = findPerformersByName([short]).get(short) ?? [];
    const named = start ? all.filter(({ id }) => id.startsWith(start)) : all;
    if (named.length === 0) return { error: `No performer has the stage name “${line}”.` };
    if (named.length > 1) {
      const choices = named.slice(0, 5).map(({ id }) => `“${short} #${id.slice(0, 8)}”`);
      return { error: `Several performers have this name. Enter ${choices.join(" or ")}.` };
    }
    rows.set(named[0]!.id, payloadOf.get(named[0]!.id)!);
  }
  return { rows: [...rows].map(([id, value]) => ({ id, payload: value })) };
}
