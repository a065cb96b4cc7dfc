import { attemptLimit } from "~/server/attempt-limit.server";
import { changeAndRecord } from "./activity.server";
import { FormError, tooManyAttempts } from "./form-error.server";
import { checkPassword, HashingBusyError, PasswordError } from "./password.server";
import { makeRecoveryCodes } from "./recovery-codes.server";
import { beginEnrolment, confirmEnrolment, removeSecondFactor } from "./second-factor.server";
import type { OpenSession } from "./session.server";
import { endSession, endSessions } from "./session.server";
import { findUser, setPassword } from "./users.server";

const TRIES = 10;
const WINDOW_SECONDS = 15 * 60;
/** Somebody at an unlocked screen must not be able to guess on. */
const byUser = attemptLimit(TRIES, WINDOW_SECONDS);

/** What a form of the account page did: a sentence for the toast, or codes to show this once. */
export type AccountChange = { done: string | undefined } | { recoveryCodes: string[] };

/**
 * Does what the form of the account page asks for.
 *
 * @throws {FormError} with the status and the sentence for whoever filled it in.
 */
export async function changeAccount(session: OpenSession, form: FormData): Promise<AccountChange> {
  const userId = session.user.id;
  const text = (name: string) => String(form.get(name) ?? "");
  const intent = text("intent");
  switch (intent) {
    case "password":
      await requirePassword(userId, text("current"));
      if (text("password") !== text("again")) throw new FormError(422, "The new passwords differ.");
      await changePassword(session, text("password"));
      return { done: "Your password is changed. Your other sessions have ended." };
    case "end-session":
      await changeAndRecord({ userId, action: "session-end" }, async (transaction) => {
        if (!(await endSession(userId, text("session"), transaction))) {
          throw new FormError(404, "That session has ended already.");
        }
      });
      return { done: "The session has ended." };
    case "end-other-sessions":
      await changeAndRecord(
        { userId, action: "session-end", detail: "All but one" },
        (transaction) => endSessions(userId, session.idHash, transaction),
      );
      return { done: "Your other sessions have ended." };
    case "second-factor-begin":
      await beginEnrolment(userId);
      // The page says what to do now, and a toast would lie over the code that is to be scanned.
      return { done: undefined };
    case "second-factor-confirm":
      return { recoveryCodes: await confirmSecondFactor(userId, text("code")) };
    case "second-factor-off":
      await requirePassword(userId, text("current"));
      await changeAndRecord({ userId, action: "second-factor-off" }, (transaction) =>
        removeSecondFactor(userId, transaction),
      );
      return { done: "The second factor is off." };
    case "recovery-codes":
      await requirePassword(userId, text("current"));
      return {
        recoveryCodes: await changeAndRecord(
          { userId, action: "recovery-codes-renew" },
          (transaction) => makeRecoveryCodes(userId, transaction),
        ),
      };
    default:
      throw new FormError(400, "This form asks for something the site does not know.");
  }
}

async function requirePassword(userId: string, password: string): Promise<void> {
  const user = await findUser(userId);
  const wait = byUser.consume(userId);
  if (wait !== undefined) throw tooManyAttempts(wait);
  const right = await checkPassword(password, user?.password_hash).catch(refuseWhenBusy);
  if (!right) throw new FormError(400, "Your current password is not right.");
  byUser.refund(userId);
}

async function changePassword(session: OpenSession, password: string): Promise<void> {
  try {
    const entry = { userId: session.user.id, action: "password-change" } as const;
    await setPassword(session.user.id, password, entry, session.idHash);
  } catch (error) {
    if (error instanceof PasswordError) throw new FormError(422, error.message);
    refuseWhenBusy(error);
  }
}

async function confirmSecondFactor(userId: string, code: string): Promise<string[]> {
  const wait = byUser.consume(userId);
  if (wait !== undefined) throw tooManyAttempts(wait);
  const codes = await changeAndRecord(
    { userId, action: "second-factor-on" },
    async (transaction) => {
      const confirmed = await confirmEnrolment(userId, code, transaction);
      if (confirmed) return confirmed;
      throw new FormError(400, "That code is not right. Is the clock of your phone right?");
    },
  );
  byUser.refund(userId);
  return codes;
}

function refuseWhenBusy(error: unknown): never {
  if (!(error instanceof HashingBusyError)) throw error;
  throw new FormError(
    429,
    "The site is busy. Try again in a few seconds.",
    error.retryAfterSeconds,
  );
}
