import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { OpenSession } from "~/features/permissions/session.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { deviceName } from "../device.server";
import { readPasskeyAnswer, refuse } from "./answer-challenge.server";
import { findChallenge, newChallenge, spendChallenge } from "./challenge.server";
import { MOST_PASSKEYS, passkeyName } from "./passkeys.server";
import { relyingParty } from "./relying-party.server";
import { verify } from "./verify.server";

/** Ed25519, ES256 and RS256 (COSE numbers, RFC 9053): what authenticators make. */
const ALGORITHMS = [-8, -7, -257];
/** How long the browser's own dialog waits. */
const DIALOG_MS = 5 * 60 * 1000;

/**
 * What a browser makes a passkey with, for a user who has just confirmed who it is. The passkey is
 * kept by the authenticator together with the account, so that it signs in without an e-mail address.
 *
 * @throws {FormError} 409 when the account has too many, or the site can't be reached so.
 */
export async function beginPasskey(
  request: Request,
  { user, idHash }: OpenSession,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON; cookie: string }> {
  const { id: rpId, isUsable } = relyingParty(request);
  if (!isUsable)
    throw new FormError(409, "Passkeys need the site to be reached by name over https.");
  const known = await database()
    .selectFrom("passkeys")
    .select(["id", "rp_id"])
    .where("user_id", "=", user.id)
    .execute();
  requireRoom(known.length);
  const { challenge, cookie } = newChallenge({ purpose: "add", session: idHash });
  const options: PublicKeyCredentialCreationOptionsJSON = {
    challenge,
    rp: { id: rpId, name: settings().siteName },
    user: {
      id: Buffer.from(user.id).toString("base64url"),
      name: user.email,
      displayName: user.email,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: known
      .filter(({ rp_id }) => rp_id === rpId)
      .map(({ id }) => ({ type: "public-key", id })),
    attestation: "none",
    timeout: DIALOG_MS,
  };
  return { options, cookie };
}

/**
 * Adds the passkey that an authenticator has made to the account.
 *
 * @param form.name what it is to be called, else by the device.
 * @throws {FormError} 400 for an answer that is wrong, late or used before, 409 for one passkey too many.
 */
export async function addPasskey(
  request: Request,
  { user, idHash }: OpenSession,
  form: FormData,
): Promise<void> {
  const expectedChallenge = findChallenge(request, { purpose: "add", session: idHash });
  const { id: rpId, origins } = relyingParty(request);
  const { registrationInfo } = await verify("verifyRegistrationResponse", {
    response: readPasskeyAnswer(form) as unknown as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin: origins,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refuse);
  const { credential, credentialBackedUp } = registrationInfo!;
  const device = deviceName(request.headers.get("User-Agent"));
  const name = passkeyName(String(form.get("name") ?? ""), device);
  const entry = { userId: user.id, action: "passkey-add", detail: name } as const;
  await changeAndRecord(entry, () => {
    spendChallenge(expectedChallenge);
    const { passkeys } = firstRow(
      database()
        .selectFrom("passkeys")
        .select((row) => row.fn.countAll<number>().as("passkeys"))
        .where("user_id", "=", user.id),
    )!;
    requireRoom(passkeys);
    const changes = runChange(
      database()
        .insertInto("passkeys")
        .values({
          id: credential.id,
          user_id: user.id,
          rp_id: rpId,
          name,
          public_key: Buffer.from(credential.publicKey),
          counter: credential.counter,
          synced: Number(credentialBackedUp),
        })
        .onConflict((conflict) => conflict.doNothing()),
    );
    if (changes !== 1) {
      throw new FormError(409, "That passkey belongs to an account already.");
    }
  });
}

function requireRoom(passkeys: number): void {
  if (passkeys < MOST_PASSKEYS) return;
  throw new FormError(409, `An account has at most ${MOST_PASSKEYS} passkeys. Remove one first.`);
}
