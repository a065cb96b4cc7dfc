import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { type AttemptLimit, attemptLimit } from "~/server/attempt-limit.server";
import { clientAddress } from "~/server/client-address.server";
import { counts } from "~/server/counts.server";
import { transaction } from "~db/client.server";
import { recordActivity } from "./activity.server";
import { knownDevice } from "./device.server";
import { FormError, tooManyAttempts } from "./form-error.server";
import { passkeyOwner, readPasskeyAnswer, verifyPasskey } from "./passkeys/answer-challenge.server";
import { checkPassword, HashingBusyError } from "./password.server";
import { checkSecondFactor } from "./second-factor.server";
import { findUserByEmail } from "./users.server";

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_ADDRESS = 10;
const FAILURES_PER_ACCOUNT = 30;
/** Of a million codes three are good at a time. */
const WRONG_CODES_PER_ACCOUNT = 5;

const byAddress = attemptLimit("failed sign-ins by address", FAILURES_PER_ADDRESS, WINDOW_SECONDS);
const byAccount = attemptLimit("failed sign-ins by account", FAILURES_PER_ACCOUNT, WINDOW_SECONDS);
const byCode = attemptLimit("wrong codes by account", WRONG_CODES_PER_ACCOUNT, WINDOW_SECONDS);

/** An account whose password was given. */
export interface ProvenUser {
  id: string;
  email: string;
  passwordHash: string;
  hasSecondFactor: boolean;
}

const authenticator = new Authenticator<ProvenUser>();
authenticator.use(new FormStrategy(verify), "form");

/**
 * Who the sign-in form says it is, when the password is right.
 *
 * @throws {FormError}: 422 with a field missing, 400 with wrong credentials, 429 after too many.
 */
export async function proveIdentity(request: Request, form: FormData): Promise<ProvenUser> {
  const fields = new URLSearchParams();
  for (const name of ["email", "password"]) fields.set(name, String(form.get(name) ?? ""));
  const headers = new Headers(request.headers);
  headers.delete("Content-Length");
  headers.set("Content-Type", "application/x-www-form-urlencoded");
  return authenticator.authenticate(
    "form",
    new Request(request.url, { method: "POST", headers, body: fields }),
  );
}

async function verify({ form, request }: FormStrategy.VerifyOptions): Promise<ProvenUser> {
  const email = String(form.get("email")).trim();
  const password = String(form.get("password"));
  if (!email || !password) throw new FormError(422, "Email and password are required.");
  const user = await findUserByEmail(email);
  // Whoever signed in here before is not locked out by somebody else's guesses, be they made from
  // the same address.
  const device = user && knownDevice(request, user.id);
  const address = device ?? clientAddress(request);
  const account = device ?? `account ${email.toLowerCase()}`;
  const giveBack = countAttempt(device ? undefined : address, account);
  const asker = { name: address, goesFirst: device !== undefined };
  const hash = user?.password_hash || undefined;
  const right = await checkPassword(password, hash, asker).catch((error) => {
    giveBack();
    throw error instanceof HashingBusyError ? tooBusy(error) : error;
  });
  // To somebody who is locked out, the site says no more than to a stranger.
  if (!right || !user || user.deactivated_at !== null) {
    counts().signInFailures++;
    if (user && byAccount.isUsedUp(account)) noteGuessing(user.id);
    throw new FormError(400, "Invalid login credentials");
  }
  giveBack();
  return {
    id: user.id,
    email: user.email,
    passwordHash: user.password_hash,
    hasSecondFactor: user.totp_enabled_at !== null,
  };
}

/**
 * Which kind of code proved the second factor of a user whose password was given.
 *
 * @throws {FormError}: 400 with a wrong code, 429 after too many.
 */
export async function proveSecondFactor(
  request: Request,
  userId: string,
  code: string,
): Promise<"app" | "recovery"> {
  const device = knownDevice(request, userId);
  const address = device ? undefined : clientAddress(request);
  const giveBack = countAttempt(address, device ?? userId, byCode);
  const kind = await checkSecondFactor(userId, code);
  if (!kind) {
    counts().signInFailures++;
    throw new FormError(400, "That code is not right, or it was used before.");
  }
  giveBack();
  return kind;
}

/**
 * Who signs in with a passkey alone. It asked for a fingerprint, a face or a PIN, so it is two factors,
 * and no code of an app is asked for.
 *
 * @returns the user's id.
 * @throws {FormError}: 400 for an answer that proves nothing, 429 after too many.
 */
export async function proveByPasskey(request: Request, form: FormData): Promise<string> {
  const answer = readPasskeyAnswer(form);
  const owner = await passkeyOwner(request, answer.id);
  const device = owner && knownDevice(request, owner);
  const address = device ? undefined : clientAddress(request);
  const giveBack = countAttempt(address, device ?? `passkey ${answer.id}`);
  const userId = await verifyPasskey(request, answer, { purpose: "sign-in" }).catch((error) => {
    counts().signInFailures++;
    throw error;
  });
  giveBack();
  return userId;
}

/**
 * Counts an attempt at both limits; what it returns uncounts it.
 *
 * @param address undefined for a known device, which counts for itself alone.
 */
function countAttempt(
  address: string | undefined,
  account: string,
  limit: AttemptLimit = byAccount,
): () => void {
  const addressWait = address === undefined ? undefined : byAddress.consume(address);
  if (addressWait !== undefined) throw tooManyAttempts(addressWait);
  const giveAddressBack = () => address !== undefined && byAddress.refund(address);
  const accountWait = limit.consume(account);
  if (accountWait !== undefined) {
    giveAddressBack();
    throw tooManyAttempts(accountWait);
  }
  return () => {
    giveAddressBack();
    limit.refund(account);
  };
}

function tooBusy({ retryAfterSeconds }: HashingBusyError): FormError {
  const sentence = "Too many people are signing in. Try again in a few seconds.";
  return new FormError(429, sentence, retryAfterSeconds);
}

/** Once a window, and after the answer: writing must not show by its time that the account exists. */
function noteGuessing(userId: string): void {
  setImmediate(() => {
    transaction(() => recordActivity({ userId, action: "sign-in-refused" })).catch(console.error);
  });
}
