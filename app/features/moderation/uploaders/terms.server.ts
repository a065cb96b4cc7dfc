import { recordActivity } from "~/platform/activity/activity.server";
import { database, prepared, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { Acceptance } from "./accepted-terms.server";
import { MOST_TERMS_LETTERS, normalizeTerms, type Terms, termsProblem } from "./terms";

const COLUMNS = "version, text, created_at AS createdAt";

/** The terms that an upload has to accept; undefined while nobody is asked to. */
export function requiredTerms(): Terms | undefined {
  return prepared(
    `SELECT ${COLUMNS} FROM upload_terms
     WHERE (SELECT required_since FROM upload_terms_state) IS NOT NULL
     ORDER BY version DESC LIMIT 1`,
  ).get() as Terms | undefined;
}

/** Since when they are asked for, ISO 8601 UTC; null while they are not. */
export function termsRequiredSince(): string | null {
  return prepared("SELECT required_since FROM upload_terms_state").pluck().get() as string | null;
}

/** Why an upload can't be taken with these terms, as a form, a program or a command names them. */
export function refusalOfTerms(accepted: string | undefined): string | undefined {
  const terms = requiredTerms();
  return terms && termsProblem(accepted, terms.version);
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

/** A version as the page lists it. */
export interface TermsVersion extends Omit<Terms, "text"> {
  /** The e-mail of who wrote it; null for an account that is gone. */
  by: string | null;
}

/** All versions, the newest first. */
export function listTerms(): TermsVersion[] {
  return prepared(
    `SELECT version, upload_terms.created_at AS createdAt, email AS by
     FROM upload_terms LEFT JOIN users ON users.id = created_by ORDER BY version DESC`,
  ).all() as TermsVersion[];
}

/** One version; the newest without a number. */
export function readTerms(version?: number): Terms | undefined {
  return prepared(
    `SELECT ${COLUMNS} FROM upload_terms WHERE version = @version OR @version IS NULL
     ORDER BY version DESC LIMIT 1`,
  ).get({ version: version ?? null }) as Terms | undefined;
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
  if (text.length > MOST_TERMS_LETTERS) {
    return refuse(422, `Terms have ${MOST_TERMS_LETTERS.toLocaleString("en")} characters at most.`);
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
