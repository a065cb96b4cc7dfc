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

/** How long the browser's own dialog waits. */
const DIALOG_MS = 5 * 60 * 1000;

/** What of an authenticator's answer is read before the library has verified it. */
const ANSWER = z.looseObject({
  id: z.string(),
  response: z.looseObject({ userHandle: z.string().optional() }),
});

/**
 * What a browser asks its authenticators with: any passkey of this site, and its owner's fingerprint,
 * face or PIN. So the passkey says whose it is, and is two factors by itself.
 */
export function askForPasskey(
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

/** The field `passkey` of a form: an answer as the browser gives it. @throws {FormError} 400 for none. */
export function readPasskeyAnswer(form: FormData): AuthenticationResponseJSON {
  try {
    return ANSWER.parse(
      JSON.parse(String(form.get("passkey"))),
    ) as unknown as AuthenticationResponseJSON;
  } catch {
    throw notVerified();
  }
}

/** Whose passkey it says it is; undefined for one that is not known at this host name. */
export async function passkeyOwner(request: Request, id: string): Promise<string | undefined> {
  return (await findPasskey(request, id))?.user_id;
}

/**
 * Who answered the challenge of this browser with a passkey.
 *
 * @returns the user's id.
 * @throws {FormError} 400 for an unknown passkey, a wrong or late answer, one that was used before,
 *   and a count of uses that does not rise (https://www.w3.org/TR/webauthn-3/#sctn-sign-counter).
 */
export async function verifyPasskey(
  request: Request,
  answer: AuthenticationResponseJSON,
  use: ChallengeUse,
): Promise<string> {
  const expectedChallenge = findChallenge(request, use);
  const passkey = await findPasskey(request, answer.id);
  if (!passkey) {
    throw new FormError(400, "This site does not know that passkey. It may have been removed.");
  }
  const { userHandle } = answer.response;
  if (userHandle && Buffer.from(userHandle, "base64url").toString() !== passkey.user_id) {
    throw notVerified();
  }
  const { authenticationInfo } = await verify("verifyAuthenticationResponse", {
    response: answer,
    expectedChallenge,
    expectedOrigin: relyingParty(request).origins,
    expectedRPID: passkey.rp_id,
    // The count is compared below, in the transaction that writes it.
    credential: { id: passkey.id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    requireUserVerification: true,
  });
  await countUse(passkey, expectedChallenge, {
    counter: authenticationInfo.newCounter,
    synced: authenticationInfo.credentialBackedUp,
  });
  return passkey.user_id;
}

function notVerified(): FormError {
  return new FormError(400, "The passkey could not be verified. Try again.");
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

/** Spends the challenge and writes the count of uses, which has to rise where there is one. */
async function countUse(
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
        // An authenticator that doesn't count answers 0 each time.
        .where((row) => (counter === 0 ? row("counter", "=", 0) : row("counter", "<", counter))),
    );
    if (changes === 0) recordActivity({ userId: user_id, action: "passkey-refused", detail: name });
    return changes === 1;
  });
  if (counted) return;
  throw new FormError(
    400,
    "This passkey was refused: it was used elsewhere, as if somebody had a copy of it.",
  );
}

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

type Options<C extends PasskeyCheck> = Parameters<(typeof Library)[C]>[0];
type Result<C extends PasskeyCheck> = Awaited<ReturnType<(typeof Library)[C]>>;

/**
 * Calls a function of @simplewebauthn/server. The library takes 0.3 s of CPU time and 26 MB to load. Passkeys are used
 * a few times a day, so each answer is verified in its own thread: pages don't wait, and the memory is freed.
 *
 * @throws {FormError} 400 when the library refuses the answer; what it says is no sentence for people.
 */
export async function verify<C extends PasskeyCheck>(
  check: C,
  options: Options<C>,
): Promise<Result<C>> {
  const program = findExecutable(
    "account-process",
    import.meta.url,
    "../account-process.server.ts",
  );
  const thread = createThread("passkey", program, { env: childEnvironment() });
  try {
    const value = await thread.request<Result<C> | undefined>({ check, options });
    if (!value?.verified) throw notVerified();
    return value;
  } finally {
    await thread.terminate();
  }
}

/**
 * The site as an authenticator knows it (https://www.w3.org/TR/webauthn-3/#relying-party): its host name, by which
 * passkeys are found again, and from which origins a browser may say that it asks. `isUsable` is whether browsers offer
 * passkeys here at all: over https or on this machine, not at a bare IP address.
 *
 * It is that of PUBLIC_URL, or else of the host that was asked for. A proxy that ends TLS may hide the scheme,
 * and browsers use passkeys over http on this machine alone: so https is taken for the rest.
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
