import { createHash, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type * as Library from "@simplewebauthn/server";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import type { Selectable } from "kysely";
import { z } from "zod";
import { recordActivity } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { childEnvironment } from "~/platform/settings.server";
import { readSignedCookie, signedCookie, siteIsHttps } from "~/platform/signed-cookie.server";
import { siteOrigin } from "~/platform/site-origin.server";
import { findExecutable } from "~/shared/program.server";
import { database, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { PasskeysTable } from "~db/schema/accounts";
import { createThread } from "~db/threads/thread.server";
import type { PasskeyCheck } from "../account-process.server";

/** The timeout for the browser's passkey dialog. */
const DIALOG_MS = 5 * 60 * 1000;

/** The parts of an authenticator's response that are read before the library verifies it. */
const RESPONSE = z.looseObject({
  id: z.string(),
  response: z.looseObject({ userHandle: z.string().optional() }),
});

/**
 * Returns the options with which a browser requests any of the user's passkeys for this site. User verification
 * (fingerprint, face or PIN) is required, so a passkey identifies its owner and counts as two factors.
 */
export function createPasskeyRequest(
  request: Request,
  use: ChallengeUse,
): { options: PublicKeyCredentialRequestOptionsJSON; cookie: string } {
  const { challenge, cookie } = newChallenge(use);
  const { id } = relyingParty(request);
  return {
    options: { challenge, rpId: id, userVerification: "required", timeout: DIALOG_MS },
    cookie,
  };
}

/** Parses a form's `passkey` field, which contains the browser's response. @throws {FormError} 400 if it is invalid. */
export function parsePasskeyResponse(form: FormData): AuthenticationResponseJSON {
  try {
    return RESPONSE.parse(
      JSON.parse(String(form.get("passkey"))),
    ) as unknown as AuthenticationResponseJSON;
  } catch {
    throw notVerified();
  }
}

/**
 * Returns the user who owns the passkey with this id, without verifying anything; undefined if no passkey with this id
 * is registered for this host name.
 */
export async function findPasskeyOwner(request: Request, id: string): Promise<string | undefined> {
  return (await findPasskey(request, id))?.user_id;
}

/**
 * Verifies a passkey's response to the challenge of this browser.
 *
 * @returns the user's id.
 * @throws {FormError} 400 for an unknown passkey, for a response that is invalid, too late or already used, and for a
 *   signature counter that doesn't increase (https://www.w3.org/TR/webauthn-3/#sctn-sign-counter).
 */
export async function verifyPasskey(
  request: Request,
  answer: AuthenticationResponseJSON,
  use: ChallengeUse,
): Promise<string> {
  const expectedChallenge = findChallenge(request, use);
  const passkey = await findPasskey(request, answer.id);
  if (!passkey) {
    throw new FormError(400, "Unknown passkey. It may have been removed from your account.");
  }
  const { userHandle } = answer.response;
  if (userHandle && Buffer.from(userHandle, "base64url").toString() !== passkey.user_id) {
    throw notVerified();
  }
  const { authenticationInfo } = await verifyInThread("verifyAuthenticationResponse", {
    response: answer,
    expectedChallenge,
    expectedOrigin: relyingParty(request).origins,
    expectedRPID: passkey.rp_id,
    // The counter is compared below, in the transaction that stores it.
    credential: { id: passkey.id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    requireUserVerification: true,
  });
  await recordUse(passkey, expectedChallenge, {
    counter: authenticationInfo.newCounter,
    synced: authenticationInfo.credentialBackedUp,
  });
  return passkey.user_id;
}

function notVerified(): FormError {
  return new FormError(400, "Couldn’t verify the passkey. Try again.");
}

async function findPasskey(request: Request, id: string) {
  return database()
    .selectFrom("passkeys")
    .innerJoin("users", "users.id", "passkeys.user_id")
    .selectAll("passkeys")
    .where("passkeys.id", "=", id)
    .where("rp_id", "=", relyingParty(request).id)
    .where("users.deactivated_at", "is", null)
    .executeTakeFirst();
}

/** Spends the challenge and stores the signature counter, which must increase if the authenticator has one. */
async function recordUse(
  { id, user_id, name }: Selectable<PasskeysTable>,
  challenge: string,
  { counter, synced }: { counter: number; synced: boolean },
): Promise<void> {
  const counted = await transaction(() => {
    spendChallenge(challenge);
    const changes = runChange(
      database()
        .updateTable("passkeys")
        .set({ counter, synced: Number(synced), last_used_at: new Date().toISOString() })
        .where("id", "=", id)
        // Authenticators without a counter always return 0.
        .where((row) => (counter === 0 ? row("counter", "=", 0) : row("counter", "<", counter))),
    );
    if (changes === 0) recordActivity({ userId: user_id, action: "passkey-refused", detail: name });
    return changes === 1;
  });
  if (counted) return;
  throw new FormError(400, "This passkey was rejected because someone may have a copy of it.");
}

const COOKIE = "passkey-challenge";
const CHALLENGE_BYTES = 32;
/**
 * Long enough to fetch a security key from another room. The sign-in page requests a new challenge before the current
 * one expires.
 */
const CHALLENGE_MAX_AGE_MS = 10 * 60 * 1000;

/**
 * The purpose that a challenge is issued for, so that a sign-in response can't be replayed to add a passkey. `session`
 * is the hash of the session's id; undefined for someone who is signed out.
 */
export interface ChallengeUse {
  purpose: "sign-in" | "confirm" | "add";
  session?: string;
}

/** Returns a challenge, and the `Set-Cookie` header that binds it to this browser. */
export function newChallenge(
  { purpose, session = "" }: ChallengeUse,
  now = Date.now(),
): { challenge: string; cookie: string } {
  const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
  const value = [purpose, session, challenge].join(" ");
  return { challenge, cookie: signedCookie(COOKIE, value, now + CHALLENGE_MAX_AGE_MS, now) };
}

/**
 * Returns the challenge that was issued to this browser for this purpose.
 *
 * @throws {FormError} 400 if no challenge was issued, or if it has expired.
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
    throw new FormError(400, "The request has expired. Try again.");
  }
  return challenge;
}

/**
 * Spends a challenge. Only challenges with a valid response get a row, so that other visitors can't write to the
 * database. Because the rows are in the database, challenges remain spent after a restart. Needs a transaction.
 *
 * @throws {FormError} 400 if it has already been spent.
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
    throw new FormError(400, "This passkey response was already used. Try again.");
  }
}

/** Deletes spent challenges that have expired. */
export async function deleteExpiredChallenges(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("spent_challenges")
    .where("expires_at", "<=", new Date(now).toISOString())
    .execute();
}

type Options<C extends PasskeyCheck> = Parameters<(typeof Library)[C]>[0];
type Result<C extends PasskeyCheck> = Awaited<ReturnType<(typeof Library)[C]>>;

/**
 * Calls a function of @simplewebauthn/server. Loading the library takes 0.3 s of CPU time and 26 MB of memory. Passkeys
 * are used only a few times a day, so each response is verified in a separate worker thread: page requests don't have
 * to wait, and the memory is freed afterwards.
 *
 * @throws {FormError} 400 if the library rejects the response. The library's own message isn't meant for users.
 */
export async function verifyInThread<C extends PasskeyCheck>(
  check: C,
  options: Options<C>,
): Promise<Result<C>> {
  const executable = findExecutable(
    "account-process",
    import.meta.url,
    "../account-process.server.ts",
  );
  const thread = createThread("passkey", executable, { env: childEnvironment() });
  try {
    const value = await thread.request<Result<C> | undefined>({ check, options });
    if (!value?.verified) throw notVerified();
    return value;
  } finally {
    await thread.terminate();
  }
}

/**
 * Returns the relying party (https://www.w3.org/TR/webauthn-3/#relying-party): the host name for which passkeys are
 * created, and the accepted origins. `isUsable` is true if browsers support passkeys there: over https or on localhost,
 * but not for a bare IP address.
 *
 * The host name is derived from PUBLIC_URL if it is set, and otherwise from the request. A proxy that terminates TLS
 * may hide the scheme, and browsers allow passkeys over http only on localhost, so https is assumed everywhere else.
 */
export function relyingParty(request: Request) {
  const { protocol, host, hostname } = new URL(siteOrigin(request));
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return {
    id: hostname,
    origins: [`https://${host}`, ...(isLocal && protocol === "http:" ? [`http://${host}`] : [])],
    isUsable: isIP(hostname.replace(/[[\]]/g, "")) === 0 && (isLocal || siteIsHttps()),
  };
}
