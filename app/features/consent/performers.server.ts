import { randomUUID } from "node:crypto";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { fold } from "~/shared/fold";
import { prepared, transaction } from "~db/client.server";
import type { VideoStatus } from "~db/schema";
import type { PerformerDocumentRow, PerformerRow } from "~db/schema/moderation";
import { type IdentityDocument, isAdultOn } from "./consent";
import { enqueueDocumentRemovals, videosWithPerformer } from "./documents.server";
import {
  CONSENT_SOURCES,
  decryptPayload,
  encryptPayload,
  holdForConsent,
  updateConsentHolds,
} from "./validity.server";

const PERFORMERS_PER_PAGE = 50;

interface ListedPerformer {
  id: string;
  /** Lists are sorted by the first stage name. */
  stageNames: string[];
  checkedOn: string | null;
  documents: number;
  videos: number;
}

export interface PerformerPage {
  performers: ListedPerformer[];
  /** The cursor for the next page; null on the last page. */
  next: string | null;
}

/**
 * Returns a page of performers, sorted by their first stage name.
 *
 * @param search the beginning of a word in any stage name; empty for all performers.
 * @param after the `next` of the previous page.
 */
export function listPerformers(search = "", after = ""): PerformerPage {
  const [name = "", id = ""] = readCursor(after);
  const text = fold(search.normalize("NFC").replace(/\s+/g, " ").trim());
  const rows = prepared<
    Omit<ListedPerformer, "stageNames"> & {
      names: string;
      sortName: string;
    }
  >(
    `SELECT id, stage_names AS names, sort_name AS sortName, checked_on AS checkedOn,
       (SELECT count(*) FROM performer_documents WHERE performer_id = performers.id) AS documents,
       (SELECT count(*) FROM video_performers WHERE performer_id = performers.id) AS videos
     FROM performers
     WHERE (sort_name, id) > (@name, @id) AND (@text = '' OR EXISTS (
       SELECT 1 FROM performer_names WHERE performer_id = performers.id
         AND name >= @text AND name < @text || char(1114111)))
     ORDER BY sort_name, id LIMIT ${PERFORMERS_PER_PAGE + 1}`,
  ).all({ name, id, text });
  const shown = rows.slice(0, PERFORMERS_PER_PAGE);
  const last = shown.at(-1);
  return {
    performers: shown.map(({ names, sortName, ...performer }) => ({
      ...performer,
      stageNames: names.split("\n"),
    })),
    next: rows.length > shown.length && last ? JSON.stringify([last.sortName, last.id]) : null,
  };
}

function readCursor(after: string): string[] {
  try {
    const read: unknown = JSON.parse(after);
    return Array.isArray(read) ? read.map(String) : [];
  } catch {
    return [];
  }
}

export interface PerformerDocument {
  id: string;
  kind: PerformerDocumentRow["kind"];
  type: PerformerDocumentRow["type"];
  bytes: number;
  addedAt: string;
  /** The email address of the user who added the document; null if the account was deleted. */
  addedBy: string | null;
}

export type Performer = NonNullable<ReturnType<typeof findPerformer>>;

/**
 * Returns a performer with at most 100 videos; undefined if the id is unknown. The legal name and date of birth are
 * left out if the secret that encrypted them is missing.
 */
export function findPerformer(id: string) {
  const row = prepared<PerformerRow & { email: string | null }>(
    `SELECT performers.*, email FROM performers LEFT JOIN users ON users.id = checked_by
     WHERE performers.id = ?`,
  ).get(id);
  if (!row) return undefined;
  const payload = decryptPayload(row.payload);
  const documents = prepared<PerformerDocument>(
    `SELECT performer_documents.id, kind, type, bytes, added_at AS addedAt, email AS addedBy
     FROM performer_documents LEFT JOIN users ON users.id = added_by
     WHERE performer_id = ? ORDER BY added_at`,
  ).all(id);
  const videos = prepared<{ id: string; title: string | null; status: VideoStatus | null }>(
    `SELECT video_id AS id, title, status FROM video_performers
     LEFT JOIN videos ON videos.id = video_id WHERE performer_id = ? LIMIT 100`,
  ).all(id);
  return {
    id,
    stageNames: row.stage_names.split("\n"),
    legalName: payload?.legalName,
    dateOfBirth: payload?.dateOfBirth,
    isReadable: payload !== undefined,
    documentKind: row.document_kind,
    checkedOn: row.checked_on,
    checkedBy: row.email,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    documents,
    videos,
    videoCount: videosWithPerformer(id).length,
  };
}

/** The parsed performer form. */
export interface ParsedPerformer {
  stageNames: string[];
  legalName: string;
  dateOfBirth: string;
  documentKind: IdentityDocument | null;
  checkedOn: string | null;
}

/**
 * The saved performer, and the number of videos that were hidden; `changed` if someone else changed the record in the
 * meantime.
 */
export type SavedPerformer = { id: string; hidden: number } | "changed" | "gone";

/**
 * Creates or changes a performer. If the legal name and date of birth can't be read, they aren't changed.
 *
 * @param existing the performer to change, with the `updatedAt` value that the form showed.
 */
export function savePerformer(
  performer: ParsedPerformer,
  userId: string,
  existing?: { id: string; shown: string },
  now = Date.now(),
): Promise<SavedPerformer> {
  const id = existing?.id ?? randomUUID();
  return transaction((): SavedPerformer => {
    const before = prepared<PerformerRow>("SELECT * FROM performers WHERE id = ?").get(id);
    if (existing && !before) return "gone";
    if (existing && before?.updated_at !== existing.shown) return "changed";
    const isReadable = !before || decryptPayload(before.payload) !== undefined;
    const { legalName, dateOfBirth, stageNames, documentKind, checkedOn } = performer;
    const isChecked = checkedOn !== null;
    const isSameCheck = before?.checked_on === checkedOn && before.document_kind === documentKind;
    const at = new Date(now).toISOString();
    prepared(
      `INSERT INTO performers (id, stage_names, sort_name, payload, document_kind, checked_on, checked_by,
         created_at, updated_at)
       VALUES (@id, @names, @sortName, @payload, @documentKind, @checkedOn, @checkedBy, @at, @at)
       ON CONFLICT (id) DO UPDATE SET stage_names = @names, sort_name = @sortName, payload = @payload,
         document_kind = @documentKind, checked_on = @checkedOn, checked_by = @checkedBy,
         updated_at = @at`,
    ).run({
      ...{ id, documentKind, checkedOn, at },
      names: stageNames.join("\n"),
      sortName: fold(stageNames[0]!),
      payload: isReadable ? encryptPayload({ legalName, dateOfBirth }) : before.payload,
      checkedBy: isSameCheck ? before.checked_by : isChecked ? userId : null,
    });
    prepared("DELETE FROM performer_names WHERE performer_id = ?").run(id);
    const addName = prepared("INSERT INTO performer_names (name, performer_id) VALUES (?, ?)");
    for (const name of searchNames(stageNames)) addName.run(name, id);
    const action = before ? "performer-change" : "performer-add";
    appendToLog({ action, userId, detail: { performer: id } }, now);
    if (before && isReadable) updateAges(id, dateOfBirth);
    return { id, hidden: updateConsentHolds(videosWithPerformer(id), now) };
  });
}

/** Returns the folded names, and each of their suffixes that starts at a word, for prefix searches. */
function searchNames(stageNames: readonly string[]): Set<string> {
  return new Set(
    stageNames.flatMap((name) => {
      const words = fold(name).split(" ");
      return words.map((_, index) => words.slice(index).join(" "));
    }),
  );
}

function updateAges(performerId: string, dateOfBirth: string): void {
  const recorded = prepared<{ videoId: string; day: string }>(
    `SELECT video_id AS videoId, recorded_on AS day FROM video_performers
     JOIN video_consents USING (video_id) WHERE performer_id = ?`,
  ).all(performerId);
  const write = prepared(
    `UPDATE video_performers SET of_age = @ofAge
     WHERE video_id = @videoId AND performer_id = @performerId AND of_age <> @ofAge`,
  );
  for (const { videoId, day } of recorded) {
    write.run({ videoId, performerId, ofAge: Number(isAdultOn(dateOfBirth, day)) });
  }
}

/**
 * Deletes all data about a performer. If consent is required, videos whose records become invalid are put on hold. The
 * log entry doesn't contain the name.
 *
 * @returns the number of hidden videos; undefined if there is no such performer.
 */
export function deletePerformer(
  id: string,
  userId: string,
  now = Date.now(),
): Promise<number | undefined> {
  return transaction(() => {
    const documents = prepared<string>("SELECT id FROM performer_documents WHERE performer_id = ?")
      .pluck()
      .all(id);
    const videos = videosWithPerformer(id);
    holdForDeletedMinor(id, now);
    const { changes } = prepared("DELETE FROM performers WHERE id = ?").run(id);
    if (changes === 0) return undefined;
    enqueueDocumentRemovals(documents);
    appendToLog(
      {
        action: "performer-delete",
        userId,
        detail: { performer: id, documents: documents.length },
      },
      now,
    );
    return updateConsentHolds(videos, now);
  });
}

/**
 * Puts the videos on hold permanently, because after the record is deleted, nothing else shows that a minor appears in
 * them.
 */
function holdForDeletedMinor(performerId: string, now: number): void {
  const videos = prepared<string>(
    "SELECT video_id FROM video_performers WHERE performer_id = ? AND of_age = 0",
  )
    .pluck()
    .all(performerId);
  for (const videoId of videos) holdForConsent(videoId, CONSENT_SOURCES.deletedMinor, now);
}

/** Returns the performers for each of these stage names, ignoring case. The list is empty for an unknown name. */
export function findPerformersByName(names: readonly string[]): Map<string, { id: string }[]> {
  const find = prepared<{ id: string; names: string }>(
    `SELECT DISTINCT id, stage_names AS names FROM performer_names JOIN performers ON id = performer_id
     WHERE name = ?`,
  );
  return new Map(
    names.map((name) => {
      const wanted = fold(name);
      const rows = find.all(wanted);
      return [name, rows.filter((row) => row.names.split("\n").some((n) => fold(n) === wanted))];
    }),
  );
}
