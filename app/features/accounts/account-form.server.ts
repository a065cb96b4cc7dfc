import type { OpenSession } from "~/features/permissions/session.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database, prepared } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { confirmIdentity, countProof } from "./confirm-identity.server";
import { endAccess } from "./end-access.server";
import { relyingParty } from "./passkeys/passkey-challenge.server";
import { addPasskey, removePasskey, renamePasskey } from "./passkeys/passkeys.server";
import { requireUnguessable } from "./password.server";
import {
  beginEnrolment,
  confirmEnrolment,
  createRecoveryCodes,
  removeSecondFactor,
} from "./second-factor.server";
import { setPassword } from "./users.server";

/** What a form of the account page did: a sentence for the toast, or codes to show this once. */
export type AccountChange = { done: string | undefined } | { recoveryCodes: string[] };

/**
 * Does what the form of the account page asks for.
 *
 * @throws {FormError} with the status and the sentence for whoever filled it in.
 */
export async function changeAccount(
  request: Request,
  session: OpenSession,
  form: FormData,
): Promise<AccountChange> {
  const userId = session.user.id;
  const text = (name: string) => String(form.get(name) ?? "");
  const intent = text("intent");
  switch (intent) {
    case "password":
      await confirmIdentity(request, session, form);
      if (text("password") !== text("again")) throw new FormError(422, "The new passwords differ.");
      await changePassword(session, text("password"), form.has("tokens"));
      return {
        done: form.has("tokens")
          ? "Your password is changed. Your other sessions have ended, and your API tokens are revoked."
          : "Your password is changed. Your other sessions have ended.",
      };
    case "end-session":
      await changeAndRecord({ userId, action: "session-end" }, () => {
        const ended = endAccess(userId, { event: "sign-out", session: text("session") });
        if (ended.sessions === 0) {
          throw new FormError(404, "That session has ended already.");
        }
      });
      return { done: "The session has ended." };
    case "end-other-sessions":
      await changeAndRecord({ userId, action: "session-end", detail: "All but one" }, () =>
        endAccess(userId, { event: "sign-out-elsewhere", kept: session.idHash }),
      );
      return { done: "Your other sessions have ended." };
    case "second-factor-begin":
      await confirmIdentity(request, session, form);
      await beginEnrolment(userId);
      // The page says what to do now, and a toast would lie over the code that is to be scanned.
      return { done: undefined };
    case "second-factor-confirm":
      return { recoveryCodes: await confirmSecondFactor(userId, text("code")) };
    case "second-factor-off":
      await confirmIdentity(request, session, form, { withCode: true });
      await changeAndRecord({ userId, action: "second-factor-off" }, () =>
        removeSecondFactor(userId),
      );
      return { done: "The second factor is off." };
    case "recovery-codes":
      await confirmIdentity(request, session, form, { withCode: true });
      return {
        recoveryCodes: await changeAndRecord({ userId, action: "recovery-codes-renew" }, () =>
          createRecoveryCodes(userId),
        ),
      };
    case "passkey-add":
      await addPasskey(request, session, form);
      return { done: "The passkey is added. You can sign in with it now." };
    case "passkey-rename":
      await renamePasskey(userId, text("id"), text("name"));
      return { done: "The passkey is renamed." };
    case "passkey-remove":
      await confirmIdentity(request, session, form);
      await removePasskey(userId, text("id"), relyingParty(request).id);
      return { done: "The passkey is removed." };
    case "password-off":
      await removePassword(request, session, form);
      return { done: "The password is off. Your other sessions have ended." };
    default:
      throw new FormError(400, "This form asks for something the site does not know.");
  }
}

async function changePassword(
  session: OpenSession,
  password: string,
  tokensToo: boolean,
): Promise<void> {
  requireUnguessable(password, session.user.email);
  const entry = { userId: session.user.id, action: "password-change" } as const;
  const ending = { event: "password-change", kept: session.idHash, tokensToo } as const;
  await setPassword(session.user.id, password, entry, ending);
}

async function confirmSecondFactor(userId: string, code: string): Promise<string[]> {
  return countProof(userId, () =>
    changeAndRecord({ userId, action: "second-factor-on" }, () => {
      const confirmed = confirmEnrolment(userId, code);
      if (confirmed) return confirmed;
      throw new FormError(400, "That code is not right. Is the clock of your phone right?");
    }),
  );
}

/**
 * Takes the password away, so that only passkeys sign in: what can be asked for on a page that looks
 * like this one is no way in any more. A passkey has to confirm it, which shows that one works, and the
 * other sessions end as with a new password.
 *
 * @throws {FormError} 400 without a passkey, or with one that is not right.
 */
async function removePassword(
  request: Request,
  session: OpenSession,
  form: FormData,
): Promise<void> {
  if (!form.has("passkey")) throw new FormError(400, "Confirm it with a passkey.");
  await confirmIdentity(request, session, form);
  const userId = session.user.id;
  await changeAndRecord({ userId, action: "password-off" }, () => {
    // The one that confirmed it may have been removed in this moment.
    const passkey = prepared("SELECT 1 FROM passkeys WHERE user_id = ? AND rp_id = ?");
    if (!passkey.get(userId, relyingParty(request).id))
      throw new FormError(409, "Add a passkey first.");
    runChange(database().updateTable("users").set({ password_hash: "" }).where("id", "=", userId));
    endAccess(userId, { event: "password-change", kept: session.idHash, tokensToo: false });
  });
}
