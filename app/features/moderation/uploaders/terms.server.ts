import { recordActivity } from "~/platform/activity/activity.server";
import { database, prepared, transaction } from "~db/client.server";
import { requireTransaction, runChange } from "~db/run-query.server";
import { every } from "~db/runtime.server";
import {
  type AcceptedTerms,
  MAX_TERMS_LENGTH,
  normalizeTerms,
  type Terms,
  termsProblem,
} from "./terms";

const COLUMNS = "version, text, created_at AS createdAt";

/** The terms that an upload has to accept; undefined while nobody is asked to. */
export function requiredTerms(): Terms | undefined {
  return prepared<Terms>(
    `SELECT ${COLUMNS} FROM upload_terms
     WHERE (SELECT required_since FROM upload_terms_state) IS NOT NULL
     ORDER BY version DESC LIMIT 1`,
  ).get();
}

/** Since when they are asked for, ISO 8601 UTC; null while they are not. */
export function termsRequiredSince(): string | null {
  return prepared<string | null>("SELECT required_since FROM upload_terms_state").pluck().get()!;
}

/** Why an upload can't be taken with these terms, as a form, a program or a command names them. */
export function refusalOfTerms(accepted: string | undefined): string | undefined {
  return checkTerms(accepted).refusal;
}

/** The same, or else what is to be kept with the video: nothing while no terms are asked for. */
export function checkTerms(
  accepted: string | undefined,
  now = Date.now(),
): { refusal?: string; acceptance?: Acceptance } {
  const terms = requiredTerms();
  if (!terms) return {};
  const refusal = termsProblem(accepted, terms.version);
  if (refusal) return { refusal };
  return { acceptance: { version: terms.version, acceptedAt: new Date(now).toISOString() } };
}

export interface TermsVersion extends Omit<Terms, "text"> {
  /** The e-mail of who wrote it; null for an account that is gone. */
  by: string | null;
}

export function listTerms(): TermsVersion[] {
  return prepared<TermsVersion>(
    `SELECT version, upload_terms.created_at AS createdAt, email AS by
     FROM upload_terms LEFT JOIN users ON users.id = created_by ORDER BY version DESC`,
  ).all();
}

/** One version; the newest without a number. */
export function readTerms(version?: number): Terms | undefined {
  return prepared<Terms>(
    `SELECT ${COLUMNS} FROM upload_terms WHERE version = @version OR @version IS NULL
     ORDER BY version DESC LIMIT 1`,
  ).get({ version: version ?? null });
}

export type SavedTerms =
  | { version: number; isNew: boolean }
  | { problem: string; status: 409 | 422; current: Terms | undefined };

/**
 * Makes a changed text the next version. The same text makes none.
 *
 * @param madeFrom the version that the text was made from, 0 without one: a newer one is not overwritten.
 */
export async function saveTerms(
  typed: string,
  madeFrom: number,
  userId: string,
  now = Date.now(),
): Promise<SavedTerms> {
  const text = normalizeTerms(typed);
  const refuse = (status: 409 | 422, problem: string) => ({
    status,
    problem,
    current: readTerms(),
  });
  if (text === "") return refuse(422, "Terms need a text.");
  if (text.length > MAX_TERMS_LENGTH) {
    return refuse(422, `Terms have ${MAX_TERMS_LENGTH.toLocaleString("en")} characters at most.`);
  }
  return transaction(() => {
    const current = readTerms();
    if (current?.text === text) return { version: current.version, isNew: false };
    if ((current?.version ?? 0) !== madeFrom) {
      return refuse(409, "Somebody has written another version in the meantime. Read it first.");
    }
    const version = madeFrom + 1;
    runChange(
      database()
        .insertInto("upload_terms")
        .values({ version, text, created_at: new Date(now).toISOString(), created_by: userId }),
    );
    const detail = `version ${version}`;
    recordActivity({ userId, action: "terms-write", detail });
    return { version, isNew: true };
  });
}

/**
 * Has every upload accept the terms, or none.
 *
 * @returns false where there are no terms that could be accepted.
 */
export async function requireTerms(
  isRequired: boolean,
  userId: string,
  now = Date.now(),
): Promise<boolean> {
  return transaction(() => {
    if (isRequired && !readTerms()) return false;
    const changes = runChange(
      database()
        .updateTable("upload_terms_state")
        .set({ required_since: isRequired ? new Date(now).toISOString() : null })
        .where("required_since", isRequired ? "is" : "is not", null),
    );
    // Two owners press the same button.
    if (changes === 0) return true;
    recordActivity({ userId, action: isRequired ? "terms-on" : "terms-off" });
    return true;
  });
}

const EVERY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** After the video is deleted for good, so that who uploaded it can't delete the proof with it. */
const KEPT_AFTER_VIDEO_MS = 365 * DAY_MS;
/** Looked at in one part: a few milliseconds. */
const ROWS_AT_ONCE = 500;

/** That a version was accepted, for the row of a video or of a file that is entered with it. */
export interface Acceptance {
  version: number;
  /** ISO 8601 UTC. */
  acceptedAt: string;
}

/**
 * Keeps what was accepted for a video.
 *
 * @throws outside of a transaction: it is there with the video, or neither is.
 */
export function keepAcceptance(
  videoId: string,
  subject: AcceptedTerms["subject"],
  userId: string,
  acceptance: Acceptance | undefined,
): void {
  if (!acceptance) return;
  requireTransaction();
  prepared(
    `INSERT INTO accepted_terms (video_id, subject, version, user_id, accepted_at)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(videoId, subject, acceptance.version, userId, acceptance.acceptedAt);
}

/**
 * What was accepted for some videos by their id, the earliest first; undefined where no terms were ever
 * written. A video that was there before, or that another program entered, has none.
 */
export function acceptancesOf(
  videoIds: readonly string[],
): Record<string, AcceptedTerms[]> | undefined {
  if (prepared("SELECT 1 FROM upload_terms LIMIT 1").get() === undefined) return undefined;
  const rows = prepared<AcceptedTerms & { videoId: string }>(
    `SELECT video_id AS videoId, version, subject, email AS by, accepted_at AS at
     FROM accepted_terms LEFT JOIN users ON users.id = user_id
     WHERE video_id IN (SELECT value FROM json_each(?)) ORDER BY accepted_terms.id`,
  ).all(JSON.stringify(videoIds));
  const found: Record<string, AcceptedTerms[]> = {};
  for (const id of videoIds) found[id] = [];
  for (const { videoId, ...accepted } of rows) found[videoId]?.push(accepted);
  return found;
}

/** Looks after what was accepted for videos that are deleted, from now on a part each minute. */
export function startAcceptedTerms(): void {
  let last = 0;
  every(EVERY_MS, "delete old accepted terms", async () => {
    last = await forgetAccepted(last);
  });
}

/**
 * Notes for a part of the rows which videos are gone, whoever deleted them, and deletes those whose video
 * was a year ago.
 *
 * @param after the number of the last row of the part before; 0 for the first.
 * @returns the number of the last row of this part; 0 at the end.
 */
export async function forgetAccepted(after = 0, now = Date.now()): Promise<number> {
  const time = new Date(now).toISOString();
  const before = new Date(now - KEPT_AFTER_VIDEO_MS).toISOString();
  const to = after + ROWS_AT_ONCE;
  await transaction(() => {
    // One that was gone may be back, as after a restored backup.
    prepared(
      `UPDATE accepted_terms SET video_gone_at = iif(video_gone_at IS NULL, @time, NULL)
       WHERE id > @after AND id <= @to AND (video_gone_at IS NULL) = (
         NOT EXISTS (SELECT 1 FROM videos WHERE videos.id = video_id)
         AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE deleted_videos.id = video_id))`,
    ).run({ time, after, to });
    prepared("DELETE FROM accepted_terms WHERE video_gone_at <= ?").run(before);
  });
  const last = prepared<number | null>("SELECT max(id) FROM accepted_terms").pluck().get()!;
  return last !== null && last > to ? to : 0;
}
