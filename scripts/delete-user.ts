// npm run delete-user: deletes an account in the same way as the Users page.

import { deleteAccount } from "~/features/accounts/users/delete-account.server";
import { findUserByEmail } from "~/features/accounts/users.server";
import { FormError } from "~/platform/form-error.server";
import { formatQuantity } from "~/shared/format";
import { requireSite } from "./require-site";
import { runScript } from "./run-script";

const USAGE = `npm run delete-user -- --email ADDRESS [--transfer-to ADDRESS]

Deletes an account, but never the last owner. If it is interrupted, run it again.
  --email ADDRESS         the account to delete
  --transfer-to ADDRESS   the account that receives its videos, required if it has any`;

await runScript(
  USAGE,
  { email: { type: "string" }, "transfer-to": { type: "string" } },
  async ({ email, "transfer-to": transferTo }) => {
    requireSite();
    if (!email) throw new FormError(422, "Specify the account with --email.");
    const user = await requireUser(email);
    const receiver = transferTo === undefined ? undefined : await requireUser(transferTo);
    const deleted = await deleteAccount(user.id, receiver?.id, null);
    console.log(`Deleted the account ${user.email}.`);
    if (deleted?.receiver) {
      console.log(`Transferred ${formatQuantity(deleted.videos, "video")} to ${deleted.receiver}.`);
    }
  },
);

async function requireUser(email: string) {
  const user = await findUserByEmail(email);
  if (!user) throw new FormError(404, `There is no account for ${email.trim()}.`);
  return user;
}
