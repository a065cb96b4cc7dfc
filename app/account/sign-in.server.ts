import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { clientAddress } from "~/server/client-address.server";
import { readSmallForm } from "~/server/small-form.server";
import { recordActivity } from "./activity.server";
import { attemptLimit } from "./attempt-limit.server";
import { knownDevice } from "./device.server";
import { checkPassword, HashingBusyError } from "./password.server";
import { findUserByEmail } from "./users.server";

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_ADDRESS = 10;
const FAILURES_PER_ACCOUNT = 30;
const MOST_FORM_BYTES = 16 * 1024;

const byAddress = attemptLimit(FAILURES_PER_ADDRESS, WINDOW_SECONDS);
const byAccount = attemptLimit(FAILURES_PER_ACCOUNT, WINDOW_SECONDS);

/** A sign-in that is refused: what to answer, and what was typed so that the form can keep it. */
export class SignInRefusal extends Error {
  constructor(
    public status: number,
    message: string,
    public email = "",
    public retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

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
 * @throws {SignInRefusal}: 422 with a field missing, 400 with wrong credentials, 429 after too many.
 */
export async function proveIdentity(request: Request): Promise<ProvenUser> {
  const form = await readSmallForm(request, MOST_FORM_BYTES);
  const fields = new URLSearchParams();
  for (const name of ["email", "password"]) fields.set(name, String(form.get(name) ?? ""));
  const {
    "content-type": _type,
    "content-length": _length,
    ...headers
  } = Object.fromEntries(request.headers);
  return authenticator.authenticate(
    "form",
    new Request(request.url, { method: "POST", headers, body: fields }),
  );
}

async function verify({ form, request }: FormStrategy.VerifyOptions): Promise<ProvenUser> {
  const email = String(form.get("email")).trim();
  const password = String(form.get("password"));
  if (!email || !password) {
    throw new SignInRefusal(422, "Email and password are required.", email);
  }
  const user = await findUserByEmail(email);
  const address = clientAddress(request);
  // Whoever signed in here before is not locked out by somebody else's guesses.
  const account = (user && knownDevice(request, user.id)) ?? `account ${email.toLowerCase()}`;
  refuseWhenLimited(byAddress.take(address), email);
  const accountWait = byAccount.take(account);
  if (accountWait !== undefined) byAddress.giveBack(address);
  refuseWhenLimited(accountWait, email);
  const right = await checkPassword(password, user?.password_hash).catch((error) => {
    byAddress.giveBack(address);
    byAccount.giveBack(account);
    if (!(error instanceof HashingBusyError)) throw error;
    throw new SignInRefusal(
      429,
      "Too many people are signing in. Try again in a few seconds.",
      email,
      error.retryAfterSeconds,
    );
  });
  if (!right || !user) {
    if (user && byAccount.isUsedUp(account)) noteGuessing(user.id);
    throw new SignInRefusal(400, "Invalid login credentials", email);
  }
  byAddress.giveBack(address);
  byAccount.giveBack(account);
  return {
    id: user.id,
    email: user.email,
    passwordHash: user.password_hash,
    hasSecondFactor: user.totp_enabled_at !== null,
  };
}

/** Once a window, and after the answer: writing must not show by its time that the account exists. */
function noteGuessing(userId: string): void {
  setImmediate(() => {
    recordActivity({ userId, action: "sign-in-refused" }).catch(console.error);
  });
}

function refuseWhenLimited(waitSeconds: number | undefined, email: string): void {
  if (waitSeconds === undefined) return;
  const minutes = Math.ceil(waitSeconds / 60);
  throw new SignInRefusal(
    429,
    `Too many sign-in attempts. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    email,
    waitSeconds,
  );
}
