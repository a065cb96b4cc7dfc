import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { forgetPage, rememberedPage } from "~/features/permissions/guard.server";
import { openSession } from "~/features/permissions/session.server";
import { recordActivity } from "~/platform/activity/activity.server";
import type { ActivityAction } from "~/platform/activity/activity-labels";
import { addressLimit } from "~/platform/address-limit.server";
import { type AttemptLimit, attemptLimit } from "~/platform/attempt-limit.server";
import { clientAddress, widerNetwork } from "~/platform/client-address.server";
import { counts } from "~/platform/counts.server";
import { FormError, tooManyAttempts } from "~/platform/form-error.server";
import { readSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { redirectWithToast } from "~/platform/toast.server";
import { database, transaction } from "~db/client.server";
import { credentialsDigest, deviceName, knownDevice, recordDevice } from "./device.server";
import {
  findPasskeyOwner,
  parsePasskeyResponse,
  verifyPasskey,
} from "./passkeys/passkey-challenge.server";
import { checkPassword, strangerRequester, userRequester } from "./password.server";
import { checkSecondFactor, spendRecoveryCode } from "./second-factor.server";
import { findUserByEmail } from "./users.server";

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_ADDRESS = 10;
const FAILURES_PER_ACCOUNT = 30;
/** At any time, three in a million codes are valid. */
const WRONG_CODES_PER_ACCOUNT = 5;

const byAddress = addressLimit("failed sign-ins by address", FAILURES_PER_ADDRESS, WINDOW_SECONDS);
const byAccount = attemptLimit("failed sign-ins by account", FAILURES_PER_ACCOUNT, WINDOW_SECONDS);
/**
 * Used only for counting: no attempt is rejected because of this limit. If many passwords are waiting to be checked,
 * networks with fewer failures go first.
 */
const byNetwork = attemptLimit(
  "failed sign-ins by network",
  Number.POSITIVE_INFINITY,
  WINDOW_SECONDS,
);
const byCode = attemptLimit("wrong codes by account", WRONG_CODES_PER_ACCOUNT, WINDOW_SECONDS);

/** An account whose password was entered correctly. */
export interface VerifiedUser {
  id: string;
  email: string;
  /** See `credentialsDigest`. */
  credentials: string;
  hasSecondFactor: boolean;
}

const authenticator = new Authenticator<VerifiedUser>();
authenticator.use(new FormStrategy(verify), "form");

/**
 * Checks the email address and password of the sign-in form and returns the account.
 *
 * @throws {FormError} 422 for a missing field, 400 for wrong credentials, 429 after too many attempts.
 */
export async function verifyCredentials(request: Request, form: FormData): Promise<VerifiedUser> {
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

async function verify({ form, request }: FormStrategy.VerifyOptions): Promise<VerifiedUser> {
  const email = String(form.get("email")).trim();
  const password = String(form.get("password"));
  if (!email || !password) throw new FormError(422, "Email and password are required.");
  const user = await findUserByEmail(email);
  const isKnown = user !== undefined && knownDevice(request, user.id) !== undefined;
  const address = clientAddress(request);
  const account = isKnown ? knownKey(user.id) : `account ${email.toLowerCase()}`;
  const uncount = countAttempt(isKnown ? undefined : address, account);
  const network = widerNetwork(address);
  const requester = isKnown
    ? userRequester(user.id)
    : strangerRequester(address, byNetwork.attempts(network));
  if (!isKnown) byNetwork.consume(network);
  const giveBack = () => {
    uncount();
    if (!isKnown) byNetwork.refund(network);
  };
  const hash = user?.password_hash || undefined;
  const right = await checkPassword(password, hash, requester).catch((error) => {
    giveBack();
    throw error;
  });
  // A locked-out user gets the same message as a stranger.
  if (!right || !user || user.deactivated_at !== null) {
    counts().signInFailures++;
    if (user && byAccount.isExhausted(account)) recordLockout(user.id, "sign-in-refused");
    throw new FormError(400, "Incorrect email or password.");
  }
  giveBack();
  return {
    id: user.id,
    email: user.email,
    credentials: credentialsDigest(user),
    hasSecondFactor: user.totp_enabled_at !== null,
  };
}

/**
 * Checks the second factor of a user whose password was correct, and returns the kind of code. Every code entered for
 * an account with a second factor is checked by this function.
 *
 * Wrong codes are counted per account, wherever they are entered. Browsers with a valid device cookie for the account
 * share a separate allowance. Otherwise an attacker who knows the password could lock the owner out by using up the
 * strangers' allowance again and again. The attacker can't use up the separate allowance, because nobody gets a device
 * cookie without entering a code (see `device.server.ts`), and having several device cookies doesn't allow more
 * guesses. An owner whose browser has no device cookie can still sign in with a recovery code, which has 120 bits and
 * can't be guessed, or with a passkey.
 *
 * @throws {FormError} 400 for a wrong code, 429 after too many.
 */
export async function verifySecondFactor(
  request: Request,
  userId: string,
  code: string,
): Promise<"app" | "recovery"> {
  const isKnown = knownDevice(request, userId) !== undefined;
  const account = isKnown ? knownKey(userId) : `account ${userId}`;
  if (byCode.isExhausted(account) && (await spendRecoveryCode(userId, code))) return "recovery";
  const giveBack = countAttempt(isKnown ? undefined : clientAddress(request), account, byCode);
  const kind = await checkSecondFactor(userId, code);
  if (!kind) {
    counts().signInFailures++;
    if (byCode.isExhausted(account)) recordLockout(userId, "code-refused");
    throw new FormError(400, "This code is incorrect or was already used.");
  }
  giveBack();
  return kind;
}

/**
 * Verifies a sign-in with a passkey. Passkeys require a fingerprint, face or PIN, so they count as two factors and
 * don't need a code.
 *
 * @returns the user's id.
 * @throws {FormError} 400 for an invalid response, 429 after too many attempts.
 */
export async function verifyPasskeySignIn(request: Request, form: FormData): Promise<string> {
  const answer = parsePasskeyResponse(form);
  const owner = await findPasskeyOwner(request, answer.id);
  const isKnown = owner !== undefined && knownDevice(request, owner) !== undefined;
  // Attempts with unknown passkeys don't count for any account, because anyone can make up as many passkeys as they
  // like.
  const account = isKnown ? knownKey(owner) : owner && `passkeys ${owner}`;
  const giveBack = countAttempt(isKnown ? undefined : clientAddress(request), account);
  const userId = await verifyPasskey(request, answer, { purpose: "sign-in" }).catch((error) => {
    counts().signInFailures++;
    throw error;
  });
  giveBack();
  return userId;
}

/** All browsers with a valid device cookie for the same account are counted together. */
const knownKey = (userId: string) => `known browsers ${userId}`;

/**
 * Counts an attempt toward both limits. Returns a function that refunds it.
 *
 * @param address undefined for a browser with a device cookie, so that others at its address can't lock it out.
 * @param account undefined if the account isn't known.
 */
function countAttempt(
  address: string | undefined,
  account: string | undefined,
  limit: AttemptLimit = byAccount,
): () => void {
  const addressWait = address === undefined ? undefined : byAddress.consume(address);
  if (addressWait !== undefined) throw tooManyAttempts(addressWait);
  const giveAddressBack = () => address !== undefined && byAddress.refund(address);
  const accountWait = account === undefined ? undefined : limit.consume(account);
  if (accountWait !== undefined) {
    giveAddressBack();
    throw tooManyAttempts(accountWait);
  }
  return () => {
    giveAddressBack();
    if (account !== undefined) limit.refund(account);
  };
}

/**
 * Records a lockout once per window, and only after the response, because the response time must not reveal that the
 * account exists.
 */
function recordLockout(userId: string, action: "sign-in-refused" | "code-refused"): void {
  setImmediate(() => {
    transaction(() => recordActivity({ userId, action })).catch(console.error);
  });
}

/** Signs a verified user in: opens a session and redirects to the requested page, or to Home, with a toast. */
export async function completeSignIn(
  request: Request,
  userId: string,
  action: ActivityAction = "sign-in",
): Promise<Response> {
  const device = deviceName(request.headers.get("User-Agent"));
  const headers = new Headers();
  headers.append("Set-Cookie", await openSession(userId, device));
  const known = knownDevice(request, userId);
  const mark = await transaction(() => {
    recordActivity({ userId, action, detail: device });
    return recordDevice(userId, known);
  });
  headers.append("Set-Cookie", mark);
  headers.append("Set-Cookie", forgetPage());
  return redirectWithToast(
    rememberedPage(request),
    { title: "Success", description: "Signed in successfully!", kind: "success" },
    { headers },
  );
}

const COOKIE = "second-step";
const SECOND_STEP_MAX_AGE_MS = 5 * 60 * 1000;

/** Returns the `Set-Cookie` header for a user who entered the correct password and still has to enter a code. */
export function secondStepCookie(
  user: { id: string; credentials: string },
  now = Date.now(),
): string {
  const value = `${user.id} ${user.credentials}`;
  return signedCookie(COOKIE, value, now + SECOND_STEP_MAX_AGE_MS, now);
}

/** Returns the `Set-Cookie` header that ends the second sign-in step. */
export function endSecondStep(): string {
  return removedCookie(COOKIE);
}

/** Returns the user whose password was entered correctly within the last five minutes; undefined if there is none. */
export async function findSecondStep(
  request: Request,
  now = Date.now(),
): Promise<{ id: string; email: string } | undefined> {
  const [id, given] = readSignedCookie(request, COOKIE, now)?.split(" ") ?? [];
  if (!id) return undefined;
  const user = await database()
    .selectFrom("users")
    .select(["id", "email", "password_hash", "totp_enabled_at"])
    .where("id", "=", id)
    .where("totp_enabled_at", "is not", null)
    .where("deactivated_at", "is", null)
    .executeTakeFirst();
  return user && credentialsDigest(user) === given ? { id: user.id, email: user.email } : undefined;
}
