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

/** Returns the terms that must be accepted for an upload, or undefined if acceptance isn't required. */
export function requiredTerms(): Terms | undefined {
  return prepared<Terms>(
    `SELECT ${COLUMNS} FROM upload_terms
     WHERE (SELECT required_since FROM upload_terms_state) IS NOT NULL
     ORDER BY version DESC LIMIT 1`,
  ).get();
}

/** Returns the time since which acceptance has been required (ISO 8601, UTC), or null if it isn't required. */
export function termsRequiredSince(): string | null {
  return prepared<string | null>("SELECT required_since FROM upload_terms_state").pluck().get()!;
}

/**
 * Returns the reason why an upload is refused because of the terms, or undefined if it isn't.
 *
 * @param accepted the version as it was sent by a form, an API client or a command.
 */
export function termsRefusal(accepted: string | undefined): string | undefined {
  return checkTerms(accepted).refusal;
}

/**
 * Like `termsRefusal`, but also returns the acceptance to be stored with the video. If acceptance isn't required, both
 * are undefined.
 */
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
  /** The author's email; null for a deleted account. */
  by: string | null;
}

export function listTerms(): TermsVersion[] {
  return prepared<TermsVersion>(
    `SELECT version, upload_terms.created_at AS createdAt, email AS by
     FROM upload_terms LEFT JOIN users ON users.id = created_by ORDER BY version DESC`,
  ).all();
}

/** Returns a version, or the latest one if no number is given. */
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
 * Saves a changed text as the next version. Does nothing if the text hasn't changed.
 *
 * @param basedOn the version that was edited; 0 if there was none. If there is now a newer version, nothing is saved.
 */
export async function saveTerms(
  typed: string,
  basedOn: number,
  userId: string,
  now = Date.now(),
): Promise<SavedTerms> {
  const text = normalizeTerms(typed);
  const refuse = (status: 409 | 422, problem: string) => ({
    status,
    problem,
    current: readTerms(),
  });
  if (text === "") return refuse(422, "Enter the terms.");
  if (text.length > MAX_TERMS_LENGTH) {
    return refuse(422, `Use at most ${MAX_TERMS_LENGTH.toLocaleString("en")} characters.`);
  }
  return transaction(() => {
    const current = readTerms();
    if (current?.text === text) return { version: current.version, isNew: false };
    if ((current?.version ?? 0) !== basedOn) {
      return refuse(409, "Someone saved a newer version in the meantime. Read it first.");
    }
    const version = basedOn + 1;
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
 * Turns on or off the requirement to accept the terms for uploads.
 *
 * @returns false if there are no terms to accept.
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
    // Two owners may press the same button at the same time.
    if (changes === 0) return true;
    recordActivity({ userId, action: isRequired ? "terms-on" : "terms-off" });
    return true;
  });
}

const EVERY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/**
 * How long an acceptance is kept after its video was permanently deleted. It is kept so that uploaders can't destroy
 * the proof by deleting the video.
 */
const KEPT_AFTER_VIDEO_MS = 365 * DAY_MS;
/** The number of rows checked in one transaction, which takes a few milliseconds. */
const BATCH_SIZE = 500;

/** An accepted version, to be stored together with a new row for a video or file. */
export interface Acceptance {
  version: number;
  /** ISO 8601 UTC. */
  acceptedAt: string;
}

/**
 * Stores the terms that were accepted for a video.
 *
 * @throws if called outside of a transaction, because the video and the acceptance must be stored together.
 */
export function storeAcceptance(
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
 * Returns the accepted terms by video id, earliest first, or undefined if the site has never had terms. Videos that are
 * older than the terms or were added by another tool have none.
 */
export function findAcceptances(
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

/** Starts the job that deletes old acceptances for deleted videos. It checks one batch a minute. */
export function startAcceptanceCleanup(): void {
  let last = 0;
  every(EVERY_MS, "delete old accepted terms", async () => {
    last = await deleteOldAcceptances(last);
  });
}

/**
 * Records, for a batch of rows, which videos no longer exist, regardless of how they were deleted, and deletes the rows
 * whose video was deleted more than a year ago.
 *
 * @param after the id of the last row of the previous batch; 0 for the first batch.
 * @returns the id of the last row of this batch; 0 after the last batch.
 */
export async function deleteOldAcceptances(after = 0, now = Date.now()): Promise<number> {
  const time = new Date(now).toISOString();
  const before = new Date(now - KEPT_AFTER_VIDEO_MS).toISOString();
  const to = after + BATCH_SIZE;
  await transaction(() => {
    // A deleted video may have come back, for example because a backup was restored.
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
