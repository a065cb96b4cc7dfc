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
  parsePasskeyResponse,
  relyingParty,
  spendChallenge,
  verifyInThread,
} from "./passkey-challenge.server";

const MAX_NAME_LENGTH = 60;
/** The maximum number of passkeys per account. Nobody has this many devices. */
const MAX_PASSKEYS = 20;

/** A passkey as shown to its owner. `rpId` is the host name on which the passkey works. Times are ISO 8601 UTC. */
export type Passkey = Awaited<ReturnType<typeof listPasskeys>>[number];

/** Returns a user's passkeys, oldest first. */
export async function listPasskeys(userId: string) {
  const rows = await database()
    .selectFrom("passkeys")
    .select(["id", "name", "rp_id as rpId", "synced", "created_at as createdAt"])
    .select("last_used_at as lastUsedAt")
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, synced: row.synced === 1 }));
}

/** Returns whether any passkey exists for this host name. If not, the sign-in page doesn't offer passkeys. */
export function hasAnyPasskey(rpId: string): boolean {
  return prepared("SELECT 1 FROM passkeys WHERE rp_id = ? LIMIT 1").get(rpId) !== undefined;
}

/** Returns whether an account has a password. */
export function hasPassword(userId: string): boolean {
  return Boolean(prepared("SELECT password_hash FROM users WHERE id = ?").pluck().get(userId));
}

/** Returns the name of a passkey: the entered name on one line, or else the device's name. */
function passkeyName(typed: string, device: string): string {
  const name = typed.replace(/\s+/g, " ").trim();
  return [...(name || device || "Passkey")].slice(0, MAX_NAME_LENGTH).join("");
}

/** @throws {FormError} 404 if the user has no such passkey, 422 for an empty name. */
export async function renamePasskey(userId: string, id: string, typed: string): Promise<void> {
  if (!typed.trim()) throw new FormError(422, "Enter a name for the passkey.");
  const name = passkeyName(typed, "");
  const entry = { userId, action: "passkey-rename", detail: name } as const;
  await changeAndRecord(entry, () => {
    const rename = prepared("UPDATE passkeys SET name = ? WHERE user_id = ? AND id = ?");
    if (rename.run(name, userId, id).changes !== 1) throw notFound();
  });
}

/**
 * Removes one of a user's passkeys, unless it is the only way to sign in: the last one for this host name, on an
 * account without a password.
 *
 * @throws {FormError} 404 if the user has no such passkey, 409 if it is the only way to sign in.
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
        "This is your only way to sign in. Set a password or add another passkey first.",
      );
    }
  });
}

/** Removes all of a user's passkeys. Used by operators on the command line. */
export async function removePasskeys(userId: string): Promise<void> {
  await database().deleteFrom("passkeys").where("user_id", "=", userId).execute();
}

function notFound(): FormError {
  return new FormError(404, "This passkey was already removed.");
}

/** The algorithms that authenticators support: Ed25519, ES256 and RS256 (COSE numbers, RFC 9053). */
const ALGORITHMS = [-8, -7, -257];
/** The timeout for the browser's passkey dialog. */
const DIALOG_MS = 5 * 60 * 1000;

/**
 * Returns the options with which a browser creates a passkey, for a user who has just confirmed their identity. The
 * authenticator stores the account with the passkey (a discoverable credential), so signing in needs no email address.
 *
 * @throws {FormError} 409 if the account has too many passkeys, or browsers don't allow them on this host name.
 */
export async function createPasskeyOptions(
  request: Request,
  { user, idHash }: OpenSession,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON; cookie: string }> {
  const { id: rpId, isUsable } = relyingParty(request);
  if (!isUsable)
    throw new FormError(409, "To use passkeys, open the site over HTTPS and use its domain name.");
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
 * Adds a passkey created by an authenticator to the account.
 *
 * @param form.name the name of the passkey; defaults to the device's name.
 * @throws {FormError} 400 for a response that is invalid, too late or already used, 409 if the account has too many
 *   passkeys.
 */
export async function addPasskey(
  request: Request,
  { user, idHash }: OpenSession,
  form: FormData,
): Promise<void> {
  const expectedChallenge = findChallenge(request, { purpose: "add", session: idHash });
  const { id: rpId, origins } = relyingParty(request);
  const { registrationInfo } = await verifyInThread("verifyRegistrationResponse", {
    response: parsePasskeyResponse(form) as unknown as RegistrationResponseJSON,
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
      throw new FormError(409, "This passkey already belongs to an account.");
    }
  });
}

function requireRoom(passkeys: number): void {
  if (passkeys < MAX_PASSKEYS) return;
  throw new FormError(409, `You can have at most ${MAX_PASSKEYS} passkeys. Remove one first.`);
}
