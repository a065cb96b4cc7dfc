import { allows, permittedOf } from "~/features/permissions/permissions";
import { hasPassword } from "../passkeys/passkeys.server";
import { columnsOf } from "../role-choices";
import type { ListedUser } from "../user-list.server";
import type { AccountDialog } from "./account-dialogs";
import { videosOfAccount } from "./transfer-videos.server";

const KINDS = ["delete", "transfer"] as const;

/**
 * Returns the dialog that the address of the users screen names: `?delete=` or `?transfer=` with an account. `gone` for
 * an account that doesn't exist, or is one's own.
 */
export async function accountDialog(
  parameters: URLSearchParams,
  users: readonly ListedUser[],
  ownId: string,
): Promise<AccountDialog | "gone" | undefined> {
  const kind = KINDS.find((each) => parameters.has(each));
  if (!kind) return undefined;
  const user = users.find(({ id }) => id === parameters.get(kind));
  if (!user || (kind === "delete" && user.id === ownId)) return "gone";
  const receivers = users
    .filter(({ id, deactivatedAt }) => id !== user.id && deactivatedAt === null)
    .filter(({ choice }) => allows(permittedOf(columnsOf(choice)), "/admin/publish"))
    .map(({ id, email }) => ({ id, email }));
  return {
    kind,
    id: user.id,
    email: user.email,
    ...videosOfAccount(user.id),
    receivers,
    // Whoever deletes an account usually looks after its videos.
    receiver: receivers.some(({ id }) => id === ownId) ? ownId : undefined,
    hasPassword: await hasPassword(ownId),
  };
}
