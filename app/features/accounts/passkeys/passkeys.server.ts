import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { OpenSession } from "~/features/permissions/session.server";
import { changeAndRecord, recordActivity } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { settings } from "~/platform/settings.server";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { deviceName } from "../device.server";
import {
  findChallenge,
  newChallenge,
  readPasskeyAnswer,
  relyingParty,
  spendChallenge,
  verify,
} from "./passkey-challenge.server";

const LONGEST_NAME = 60;
/** More than anybody has devices. */
const MAX_PASSKEYS = 20;

/** A passkey as its owner sees it: `rpId` is the host name at which it works. Times are ISO 8601 UTC. */
export type Passkey = Awaited<ReturnType<typeof listPasskeys>>[number];

/** The passkeys of a user, the oldest first. */
export async function listPasskeys(userId: string) {
  const rows = await database()
    .selectFrom("passkeys")
    .select(["id", "name", "rp_id as rpId", "synced", "created_at as createdAt"])
    .select("last_used_at as lastUsedAt")
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  // Its maker copies a synced one between devices.
  return rows.map((row) => ({ ...row, synced: row.synced === 1 }));
}

/** Whether anybody may sign in with a passkey at this host name: else the page doesn't offer it. */
export function hasAnyPasskey(rpId: string): boolean {
  return prepared("SELECT 1 FROM passkeys WHERE rp_id = ? LIMIT 1").get(rpId) !== undefined;
}

/** Whether an account has a password to sign in with. */
export function hasPassword(userId: string): boolean {
  return Boolean(prepared("SELECT password_hash FROM users WHERE id = ?").pluck().get(userId));
}

/** What a passkey is called: what its owner typed, in one line, or else the device. */
function passkeyName(typed: string, device: string): string {
  const name = typed.replace(/\s+/g, " ").trim();
  return [...(name || device || "Passkey")].slice(0, LONGEST_NAME).join("");
}

/** @throws {FormError} 404 for a passkey that is not the user's, 422 for an empty name. */
export async function renamePasskey(userId: string, id: string, typed: string): Promise<void> {
  if (!typed.trim()) throw new FormError(422, "A passkey needs a name.");
  const name = passkeyName(typed, "");
  const entry = { userId, action: "passkey-rename", detail: name } as const;
  await changeAndRecord(entry, () => {
    const rename = prepared("UPDATE passkeys SET name = ? WHERE user_id = ? AND id = ?");
    if (rename.run(name, userId, id).changes !== 1) throw notFound();
  });
}

/**
 * Removes a passkey of a user, unless it is the last way in: the last that works at this host name,
 * of an account without a password.
 *
 * @throws {FormError} 404 for a passkey that is not the user's, 409 for the last way in.
 */
export async function removePasskey(userId: string, id: string, rpId: string): Promise<void> {
  await transaction(() => {
    const passkey = firstRow(
      database()
        .deleteFrom("passkeys")
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .returning("name"),
    );
    if (!passkey) throw notFound();
    recordActivity({ userId, action: "passkey-remove", detail: passkey.name });
    const left = prepared("SELECT count(*) FROM passkeys WHERE user_id = ? AND rp_id = ?").pluck();
    if (!hasPassword(userId) && left.get(userId, rpId) === 0) {
      throw new FormError(
        409,
        "This is the only way into your account. Set a password or add another passkey first.",
      );
    }
  });
}

/** Removes all passkeys of a user: for the operator, at the command line. */
export async function removePasskeys(userId: string): Promise<void> {
  await database().deleteFrom("passkeys").where("user_id", "=", userId).execute();
}

function notFound(): FormError {
  return new FormError(404, "That passkey has been removed already.");
}

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
  });
  const { credential, credentialBackedUp } = registrationInfo!;
  const device = deviceName(request.headers.get("User-Agent"));
  const name = passkeyName(String(form.get("name") ?? ""), device);
  const entry = { userId: user.id, action: "passkey-add", detail: name } as const;
  await changeAndRecord(entry, () => {
    spendChallenge(expectedChallenge);
    const passkeys = prepared<number>("SELECT count(*) FROM passkeys WHERE user_id = ?").pluck();
    requireRoom(passkeys.get(user.id)!);
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
  if (passkeys < MAX_PASSKEYS) return;
  throw new FormError(409, `An account has at most ${MAX_PASSKEYS} passkeys. Remove one first.`);
}
