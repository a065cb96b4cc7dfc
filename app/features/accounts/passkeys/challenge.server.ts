import { createHash, randomBytes } from "node:crypto";
import { FormError } from "~/platform/form-error.server";
import { readSignedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { database } from "~db/client.server";
import { runChange } from "~db/run-query.server";

const COOKIE = "passkey-challenge";
const CHALLENGE_BYTES = 32;
/** Time to fetch a key from another room; the page of sign-in asks for a new one before it ends. */
const CHALLENGE_MAX_AGE_MS = 10 * 60 * 1000;

/**
 * What an answer is for: a passkey that signs in can't be replayed to add one.
 *
 * @param session the hash of the session that asks; undefined for somebody who is signed out.
 */
export interface ChallengeUse {
  purpose: "sign-in" | "confirm" | "add";
  session?: string;
}

/** A challenge, and the `Set-Cookie` header that gives it to this browser alone. */
export function newChallenge(
  { purpose, session = "" }: ChallengeUse,
  now = Date.now(),
): { challenge: string; cookie: string } {
  const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
  const value = [purpose, session, challenge].join(" ");
  return { challenge, cookie: signedCookie(COOKIE, value, now + CHALLENGE_MAX_AGE_MS, now) };
}

/**
 * The challenge that this browser was given for this use.
 *
 * @throws {FormError} 400 when it was given none, or too long ago.
 */
export function findChallenge(
  request: Request,
  { purpose, session = "" }: ChallengeUse,
  now = Date.now(),
): string {
  const given = readSignedCookie(request, COOKIE, now)?.split(" ") ?? [];
  const [givenPurpose, givenSession, challenge] = given;
  const isOurs = givenPurpose === purpose && givenSession === session;
  if (!challenge || !isOurs) {
    throw new FormError(400, "That took too long. Try again.");
  }
  return challenge;
}

/**
 * Spends a challenge. A row for each that was answered rightly, so that visitors write nothing and a
 * restart forgets nothing. Part of a transaction.
 *
 * @throws {FormError} 400 when it was spent before.
 */
export function spendChallenge(challenge: string, now = Date.now()): void {
  const changes = runChange(
    database()
      .insertInto("spent_challenges")
      .values({
        hash: createHash("sha256").update(challenge).digest("hex"),
        expires_at: new Date(now + CHALLENGE_MAX_AGE_MS).toISOString(),
      })
      .onConflict((conflict) => conflict.doNothing()),
  );
  if (changes !== 1) {
    throw new FormError(400, "That answer was used before. Try again.");
  }
}

/** Deletes challenges that have expired, which nobody can answer any more. */
export async function deleteExpiredChallenges(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("spent_challenges")
    .where("expires_at", "<=", new Date(now).toISOString())
    .execute();
}
