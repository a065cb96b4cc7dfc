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
import { credentialsMark, deviceName, knownDevice, markDevice } from "./device.server";
import {
  passkeyOwner,
  readPasskeyAnswer,
  verifyPasskey,
} from "./passkeys/passkey-challenge.server";
import { checkPassword, strangerAsker, userAsker } from "./password.server";
import { checkSecondFactor, spendRecoveryCode } from "./second-factor.server";
import { findUserByEmail } from "./users.server";

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_ADDRESS = 10;
const FAILURES_PER_ACCOUNT = 30;
/** Three of a million codes are valid at a time. */
const WRONG_CODES_PER_ACCOUNT = 5;

const byAddress = addressLimit("failed sign-ins by address", FAILURES_PER_ADDRESS, WINDOW_SECONDS);
const byAccount = attemptLimit("failed sign-ins by account", FAILURES_PER_ACCOUNT, WINDOW_SECONDS);
/** Refuses nothing: networks with fewer failures go first when many passwords wait to be checked. */
const byNetwork = attemptLimit(
  "failed sign-ins by network",
  Number.POSITIVE_INFINITY,
  WINDOW_SECONDS,
);
const byCode = attemptLimit("wrong codes by account", WRONG_CODES_PER_ACCOUNT, WINDOW_SECONDS);

/** An account whose password was given. */
export interface ProvenUser {
  id: string;
  email: string;
  /** See `credentialsMark`. */
  credentials: string;
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
  const isKnown = user !== undefined && knownDevice(request, user.id) !== undefined;
  const address = clientAddress(request);
  const account = isKnown ? knownKey(user.id) : `account ${email.toLowerCase()}`;
  const uncount = countAttempt(isKnown ? undefined : address, account);
  const network = widerNetwork(address);
  const asker = isKnown ? userAsker(user.id) : strangerAsker(address, byNetwork.attempts(network));
  if (!isKnown) byNetwork.consume(network);
  const giveBack = () => {
    uncount();
    if (!isKnown) byNetwork.refund(network);
  };
  const hash = user?.password_hash || undefined;
  const right = await checkPassword(password, hash, asker).catch((error) => {
    giveBack();
    throw error;
  });
  // To somebody who is locked out, the site says no more than to a stranger.
  if (!right || !user || user.deactivated_at !== null) {
    counts().signInFailures++;
    if (user && byAccount.isExhausted(account)) noteGuessing(user.id, "sign-in-refused");
    throw new FormError(400, "Invalid login credentials");
  }
  giveBack();
  return {
    id: user.id,
    email: user.email,
    credentials: credentialsMark(user),
    hasSecondFactor: user.totp_enabled_at !== null,
  };
}

/**
 * Returns which kind of code proved the second factor of a user whose password was right. The only way to check a code
 * of an account that has the second factor on.
 *
 * Wrong codes count per account, wherever they are entered. Browsers with a valid mark of the account have an allowance
 * of their own, which they share: somebody who knows the password can use up the strangers' allowance again and again,
 * and this must not lock the owner out. They can't use up the other one, because nobody gets a mark without a code
 * (see `device.server.ts`), and can't guess more often with several marks. An owner whose browser has no mark still
 * gets in with a recovery code, which has 120 bits and can't be guessed, or with a passkey.
 *
 * @throws {FormError} 400 for a wrong code, 429 after too many.
 */
export async function proveSecondFactor(
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
    if (byCode.isExhausted(account)) noteGuessing(userId, "code-refused");
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
  const isKnown = owner !== undefined && knownDevice(request, owner) !== undefined;
  // An unknown passkey counts for no account: anybody can invent as many as they like.
  const account = isKnown ? knownKey(owner) : owner && `passkeys ${owner}`;
  const giveBack = countAttempt(isKnown ? undefined : clientAddress(request), account);
  const userId = await verifyPasskey(request, answer, { purpose: "sign-in" }).catch((error) => {
    counts().signInFailures++;
    throw error;
  });
  giveBack();
  return userId;
}

/** All browsers with a valid mark of an account count together. */
const knownKey = (userId: string) => `known browsers ${userId}`;

/**
 * Counts an attempt at both limits; what it returns uncounts it.
 *
 * @param address undefined for a browser with a mark, which others at its address must not lock out.
 * @param account undefined for none.
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

/** Once a window, and after the answer: writing must not show by its time that the account exists. */
function noteGuessing(userId: string, action: "sign-in-refused" | "code-refused"): void {
  setImmediate(() => {
    transaction(() => recordActivity({ userId, action })).catch(console.error);
  });
}

/** Signs a user in whose identity is proven: a new session, the toast, and back to the page that was asked for, or Home. */
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
    return markDevice(userId, known);
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

/** The `Set-Cookie` header of somebody whose password was right and whose code is still asked for. */
export function secondStepCookie(
  user: { id: string; credentials: string },
  now = Date.now(),
): string {
  const value = `${user.id} ${user.credentials}`;
  return signedCookie(COOKIE, value, now + SECOND_STEP_MAX_AGE_MS, now);
}

/** The `Set-Cookie` header that ends the step. */
export function endSecondStep(): string {
  return removedCookie(COOKIE);
}

/** Whose password was given in the last five minutes; undefined when nobody's was. */
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
  return user && credentialsMark(user) === given ? { id: user.id, email: user.email } : undefined;
}
