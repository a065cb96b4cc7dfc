import type { OpenSession } from "~/features/permissions/session.server";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { FormError, tooManyAttempts } from "~/platform/form-error.server";
import { readPasskeyAnswer, verifyPasskey } from "./passkeys/passkey-challenge.server";
import { checkPassword, userAsker } from "./password.server";
import { proveSecondFactor } from "./sign-in.server";
import { findUser } from "./users.server";

const TRIES = 10;
const WINDOW_SECONDS = 15 * 60;
/** Somebody at an unlocked screen must not be able to guess on. */
const byUser = attemptLimit("failed confirmations by user", TRIES, WINDOW_SECONDS);

/**
 * Lets a user prove something, so many times.
 *
 * @throws {FormError} 429 after too many failures, else what `prove` throws.
 */
export async function countProof<T>(userId: string, prove: () => Promise<T>): Promise<T> {
  const wait = byUser.consume(userId);
  if (wait !== undefined) throw tooManyAttempts(wait);
  const proven = await prove();
  byUser.refund(userId);
  return proven;
}

/**
 * Holds that whoever sends the form is the user of the session still: by the password in the field
 * `current`, or by a passkey of theirs in the field `passkey`.
 *
 * @param options.withCode whether an account with the second factor on also needs a code in the field `code`, beside the
 *   password. Required for everything that turns the second factor off or goes around it. A passkey is two factors.
 * @throws {FormError} 400 with a wrong password, passkey or code, 422 without a code, 429 after too many.
 */
export async function confirmIdentity(
  request: Request,
  { user, idHash }: OpenSession,
  form: FormData,
  { withCode = false } = {},
): Promise<void> {
  const isCodeNeeded = await countProof(user.id, async () => {
    if (form.has("passkey")) {
      const use = { purpose: "confirm", session: idHash } as const;
      const owner = await verifyPasskey(request, readPasskeyAnswer(form), use);
      if (owner !== user.id) throw new FormError(400, "That is a passkey of another account.");
      return false;
    }
    const account = await findUser(user.id);
    const password = String(form.get("current") ?? "");
    const hash = account?.password_hash || undefined;
    if (!(await checkPassword(password, hash, userAsker(user.id))))
      throw new FormError(400, "Your current password is not right.");
    return withCode && account?.totp_enabled_at !== null;
  });
  if (isCodeNeeded) await confirmCode(request, user.id, String(form.get("code") ?? ""));
}

async function confirmCode(request: Request, userId: string, code: string): Promise<void> {
  try {
    if (!code.trim()) {
      throw new FormError(422, "Enter a code from your authenticator app, or a recovery code.");
    }
    await proveSecondFactor(request, userId, code);
  } catch (error) {
    if (error instanceof FormError) error.field = "code";
    throw error;
  }
}
