import type { OpenSession } from "~/features/permissions/session.server";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { FormError, tooManyAttempts } from "~/platform/form-error.server";
import { parsePasskeyResponse, verifyPasskey } from "./passkeys/passkey-challenge.server";
import { checkPassword, userRequester } from "./password.server";
import { verifySecondFactor } from "./sign-in.server";
import { findUser } from "./users.server";

const MAX_FAILURES = 10;
const WINDOW_SECONDS = 15 * 60;
/** Limits how many passwords or codes someone can try on a computer that was left unlocked. */
const byUser = attemptLimit("failed confirmations by user", MAX_FAILURES, WINDOW_SECONDS);

/**
 * Runs an identity check and limits how often it can fail.
 *
 * @throws {FormError} 429 after too many failures; otherwise whatever `prove` throws.
 */
export async function limitFailures<T>(userId: string, prove: () => Promise<T>): Promise<T> {
  const wait = byUser.consume(userId);
  if (wait !== undefined) throw tooManyAttempts(wait);
  const proven = await prove();
  byUser.refund(userId);
  return proven;
}

/**
 * Checks that the form was sent by the session's user. The form must contain the user's password in the `current` field
 * or one of the user's passkeys in the `passkey` field.
 *
 * @param options.withCode whether an account with a second factor needs a code in the `code` field in addition to the
 * password. Must be true for everything that turns the second factor off or bypasses it. A passkey counts as two
 * factors.
 * @throws {FormError} 400 for a wrong password, passkey or code, 422 for a missing code, 429 after too many failures.
 */
export async function confirmIdentity(
  request: Request,
  { user, idHash }: OpenSession,
  form: FormData,
  { withCode = false } = {},
): Promise<void> {
  const isCodeNeeded = await limitFailures(user.id, async () => {
    if (form.has("passkey")) {
      const use = { purpose: "confirm", session: idHash } as const;
      const owner = await verifyPasskey(request, parsePasskeyResponse(form), use);
      if (owner !== user.id) throw new FormError(400, "This passkey belongs to another account.");
      return false;
    }
    const account = await findUser(user.id);
    const password = String(form.get("current") ?? "");
    const hash = account?.password_hash || undefined;
    if (!(await checkPassword(password, hash, userRequester(user.id))))
      throw new FormError(400, "Your current password is incorrect.");
    return withCode && account?.totp_enabled_at !== null;
  });
  if (isCodeNeeded) await confirmCode(request, user.id, String(form.get("code") ?? ""));
}

async function confirmCode(request: Request, userId: string, code: string): Promise<void> {
  try {
    if (!code.trim()) {
      throw new FormError(422, "Enter a code from your authenticator app, or a recovery code.");
    }
    await verifySecondFactor(request, userId, code);
  } catch (error) {
    if (error instanceof FormError) error.field = "code";
    throw error;
  }
}
