import type { OpenSession } from "~/features/permissions/session.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { confirmIdentity } from "../confirm-identity.server";
import { endAccess } from "../end-access.server";
import { relyingParty } from "./relying-party.server";

/**
 * Takes the password away, so that only passkeys sign in: what can be asked for on a page that looks
 * like this one is no way in any more. A passkey has to confirm it, which shows that one works, and the
 * other sessions end as with a new password.
 *
 * @throws {FormError} 400 without a passkey, or with one that is not right.
 */
export async function removePassword(
  request: Request,
  session: OpenSession,
  form: FormData,
): Promise<void> {
  if (!form.has("passkey")) throw new FormError(400, "Confirm it with a passkey.");
  await confirmIdentity(request, session, form);
  const userId = session.user.id;
  await changeAndRecord({ userId, action: "password-off" }, () => {
    // The one that confirmed it may have been removed in this moment.
    const passkey = firstRow(
      database()
        .selectFrom("passkeys")
        .select("id")
        .where("user_id", "=", userId)
        .where("rp_id", "=", relyingParty(request).id)
        .limit(1),
    );
    if (!passkey) throw new FormError(409, "Add a passkey first.");
    runChange(database().updateTable("users").set({ password_hash: "" }).where("id", "=", userId));
    endAccess(userId, { event: "password-change", kept: session.idHash, tokensToo: false });
  });
}
