import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission, requireSession } from "~/features/permissions/guard.server";
import { allows, permittedOf } from "~/features/permissions/permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { siteLimits } from "~/features/upload/quota.server";
import { failure } from "~/platform/failure";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { siteOrigin } from "~/platform/site-origin.server";
import { redirectWithToast, respondToForm } from "~/platform/toast.server";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { listInvitations } from "../invitations.server";
import { hasPassword } from "../passkeys/passkeys.server";
import { columnsOf } from "../role-choices";
import { type ListedUser, listUsers } from "../user-list.server";
import { type AccountDialog, AccountDialogs } from "../users/account-dialogs";
import { countAccountVideos } from "../users/delete-account.server";
import { InvitationList, InviteForm, NewLink } from "../users/invitations";
import { listStrikes } from "../users/strikes.server";
import { UserList } from "../users/user-list";
import { performUsers, type UsersAnswer, type UsersFailure } from "../users/users-action.server";

export const meta = privateMeta("Users");

/** Invitation links must not be cached, not even by the browser. */
export const headers = noStoreHeaders;

const GONE = failure(404, "This account doesn’t exist or is your own.").toast;

interface Answer {
  error?: UsersFailure;
  invitation?: Extract<UsersAnswer, { invitation: unknown }>["invitation"];
}

export async function loader({ request }: LoaderFunctionArgs) {
  const owner = await requirePermission(request, "/admin/users");
  const users = listUsers();
  const dialog = await accountDialog(new URL(request.url).searchParams, users, owner.id);
  if (dialog === "gone") throw redirectWithToast("/admin/users", GONE);
  return {
    ownId: owner.id,
    users,
    dialog,
    strikes: Object.fromEntries(listStrikes(users.map(({ id }) => id))),
    invitations: await listInvitations(),
    limits: siteLimits(),
    origin: siteOrigin(request),
  };
}

export async function action({ request }: ActionFunctionArgs) {
  const session = await requireSession(request, "/admin/users");
  requireOwnOrigin(request);
  const answer = await performUsers(request, session);
  return "invitation" in answer ? data(answer) : respondToForm("/admin/users", answer);
}

export default function Users() {
  const { ownId, users, dialog, strikes, invitations, limits, origin } =
    useLoaderData<typeof loader>();
  const { error, invitation } = useFormResponse<Answer>() ?? {};
  const busy = useNavigation().formData?.get("intent");
  return (
    <AdminPage title="Users" error={dialog ? undefined : error}>
      {dialog && <AccountDialogs key={dialog.kind + dialog.id} dialog={dialog} error={error} />}
      {invitation && (
        <NewLink key={invitation.path} invitation={invitation} link={origin + invitation.path} />
      )}
      <InviteForm key={`form ${invitation?.path}`} error={error} isBusy={busy === "invite"} />
      <UserList users={users} strikes={strikes} ownId={ownId} siteLimits={limits} error={error} />
      {invitations.length > 0 && <InvitationList invitations={invitations} />}
      <dl className="grid gap-x-6 gap-y-1 text-sm text-muted sm:grid-cols-[auto_1fr]">
        <dt className="font-medium text-ink">Owner</dt>
        <dd>Full access, including user management.</dd>
        <dt className="font-medium text-ink">Editor</dt>
        <dd>Can upload, edit, publish and delete all videos.</dd>
        <dt className="font-medium text-ink">Uploader</dt>
        <dd>
          Can upload videos and edit their own drafts. With publishing rights, they can also publish
          their own videos, and edit them at any time.
        </dd>
      </dl>
    </AdminPage>
  );
}

const KINDS = ["delete", "transfer"] as const;

/**
 * Returns the dialog that the users page opens for its URL: `?delete=` or `?transfer=` with an account. The result is
 * `gone` if the account doesn't exist, or if it can't be deleted because it belongs to the signed-in owner.
 */
async function accountDialog(
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
    ...countAccountVideos(user.id),
    receivers,
    // The owner who deletes an account usually takes over its videos.
    receiver: receivers.some(({ id }) => id === ownId) ? ownId : undefined,
    hasPassword: hasPassword(ownId),
  };
}
