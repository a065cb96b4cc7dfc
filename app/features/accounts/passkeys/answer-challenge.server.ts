import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import type { Selectable } from "kysely";
import { z } from "zod";
import { recordActivity } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { PasskeysTable } from "~db/schema/accounts";
import { type ChallengeUse, findChallenge, newChallenge, spendChallenge } from "./challenge.server";
import { relyingParty } from "./relying-party.server";
import { VerificationError, verify } from "./verify.server";

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
  }).catch(refuse);
  await countUse(passkey, expectedChallenge, {
    counter: authenticationInfo.newCounter,
    synced: authenticationInfo.credentialBackedUp,
  });
  return passkey.user_id;
}

/** For whoever answers wrongly; what the library says is no sentence for people. */
export function refuse(error: unknown): never {
  throw error instanceof VerificationError ? notVerified() : error;
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
    return changes === 1;
  });
  if (counted) return;
  const entry = { userId: user_id, action: "passkey-refused", detail: name } as const;
  await transaction(() => recordActivity(entry));
  throw new FormError(
    400,
    "This passkey was refused: it was used elsewhere, as if somebody had a copy of it.",
  );
}
