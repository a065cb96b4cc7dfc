import { attemptLimit } from "~/server/attempt-limit.server";
import { FormError, tooManyAttempts } from "./form-error.server";
import { readPasskeyAnswer, verifyPasskey } from "./passkeys/answer-challenge.server";
import { checkPassword, HashingBusyError } from "./password.server";
import type { OpenSession } from "./session.server";
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
 * @throws {FormError} 400 with a wrong password or passkey, 429 after too many.
 */
export async function confirmIdentity(
  request: Request,
  { user, idHash }: OpenSession,
  form: FormData,
): Promise<void> {
  await countProof(user.id, async () => {
    if (form.has("passkey")) {
      const use = { purpose: "confirm", session: idHash } as const;
      const owner = await verifyPasskey(request, readPasskeyAnswer(form), use);
      if (owner !== user.id) throw new FormError(400, "That is a passkey of another account.");
      return;
    }
    const account = await findUser(user.id);
    const password = String(form.get("current") ?? "");
    const right = await checkPassword(password, account?.password_hash || undefined).catch(
      refuseWhenBusy,
    );
    if (!right) throw new FormError(400, "Your current password is not right.");
  });
}

/** For a hash that was to be computed. @throws {FormError} 429, or the error that is another. */
export function refuseWhenBusy(error: unknown): never {
  if (!(error instanceof HashingBusyError)) throw error;
  throw new FormError(
    429,
    "The site is busy. Try again in a few seconds.",
    error.retryAfterSeconds,
  );
}
