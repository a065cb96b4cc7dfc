import type { OpenSession } from "~/features/permissions/session.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database, prepared } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { confirmIdentity, limitFailures } from "./confirm-identity.server";
import { endAccess } from "./end-access.server";
import { relyingParty } from "./passkeys/passkey-challenge.server";
import { addPasskey, removePasskey, renamePasskey } from "./passkeys/passkeys.server";
import { rejectGuessablePassword } from "./password.server";
import {
  beginEnrollment,
  confirmEnrollment,
  createRecoveryCodes,
  removeSecondFactor,
} from "./second-factor.server";
import { setPassword } from "./users.server";

/** The result of submitting a form on the account page: a message for the toast, or recovery codes to show once. */
export type AccountChange = { done: string | undefined } | { recoveryCodes: string[] };

/**
 * Handles a form on the account page.
 *
 * @throws {FormError} with the status and the message for the user.
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
      if (text("password") !== text("again"))
        throw new FormError(422, "The passwords don’t match.");
      await changePassword(session, text("password"), form.has("tokens"));
      return {
        done: form.has("tokens")
          ? "Password changed. Your other sessions were ended and your API tokens revoked."
          : "Password changed. Your other sessions were ended.",
      };
    case "end-session":
      await changeAndRecord({ userId, action: "session-end" }, () => {
        const ended = endAccess(userId, { event: "sign-out", session: text("session") });
        if (ended.sessions === 0) {
          throw new FormError(404, "This session has already ended.");
        }
      });
      return { done: "Session ended." };
    case "end-other-sessions":
      await changeAndRecord({ userId, action: "session-end", detail: "All but one" }, () =>
        endAccess(userId, { event: "sign-out-elsewhere", kept: session.idHash }),
      );
      return { done: "Other sessions ended." };
    case "second-factor-begin":
      await confirmIdentity(request, session, form);
      await beginEnrollment(userId);
      // No toast is shown, because it would cover the QR code. The page shows the next step.
      return { done: undefined };
    case "second-factor-confirm":
      return { recoveryCodes: await confirmSecondFactor(userId, text("code")) };
    case "second-factor-off":
      await confirmIdentity(request, session, form, { withCode: true });
      await changeAndRecord({ userId, action: "second-factor-off" }, () =>
        removeSecondFactor(userId),
      );
      return { done: "Two-factor authentication turned off." };
    case "recovery-codes":
      await confirmIdentity(request, session, form, { withCode: true });
      return {
        recoveryCodes: await changeAndRecord({ userId, action: "recovery-codes-renew" }, () =>
          createRecoveryCodes(userId),
        ),
      };
    case "passkey-add":
      await addPasskey(request, session, form);
      return { done: "Passkey added. You can now sign in with it." };
    case "passkey-rename":
      await renamePasskey(userId, text("id"), text("name"));
      return { done: "Passkey renamed." };
    case "passkey-remove":
      await confirmIdentity(request, session, form);
      await removePasskey(userId, text("id"), relyingParty(request).id);
      return { done: "Passkey removed." };
    case "password-off":
      await removePassword(request, session, form);
      return { done: "Password turned off. Your other sessions were ended." };
    default:
      throw new FormError(400, "Unknown action. Reload the page and try again.");
  }
}

async function changePassword(
  session: OpenSession,
  password: string,
  tokensToo: boolean,
): Promise<void> {
  rejectGuessablePassword(password, session.user.email);
  const entry = { userId: session.user.id, action: "password-change" } as const;
  const ending = { event: "password-change", kept: session.idHash, tokensToo } as const;
  await setPassword(session.user.id, password, entry, ending);
}

async function confirmSecondFactor(userId: string, code: string): Promise<string[]> {
  return limitFailures(userId, () =>
    changeAndRecord({ userId, action: "second-factor-on" }, () => {
      const confirmed = confirmEnrollment(userId, code);
      if (confirmed) return confirmed;
      throw new FormError(
        400,
        "Incorrect code. Check that your phone sets its time automatically.",
      );
    }),
  );
}

/**
 * Removes the password, so that users can sign in only with a passkey and there is no password to phish. The user has
 * to confirm this with a passkey, which proves that the passkey works. All other sessions end, as they do after a
 * password change.
 *
 * @throws {FormError} 400 if the passkey is missing or wrong.
 */
async function removePassword(
  request: Request,
  session: OpenSession,
  form: FormData,
): Promise<void> {
  if (!form.has("passkey")) throw new FormError(400, "Confirm this with a passkey.");
  await confirmIdentity(request, session, form);
  const userId = session.user.id;
  await changeAndRecord({ userId, action: "password-off" }, () => {
    // The passkey that confirmed the request may have been removed in the meantime.
    const passkey = prepared("SELECT 1 FROM passkeys WHERE user_id = ? AND rp_id = ?");
    if (!passkey.get(userId, relyingParty(request).id))
      throw new FormError(409, "Add a passkey first.");
    runChange(database().updateTable("users").set({ password_hash: "" }).where("id", "=", userId));
    endAccess(userId, { event: "password-change", kept: session.idHash, tokensToo: false });
  });
}
