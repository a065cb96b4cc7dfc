import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import { ROLE_LABELS } from "../role-choices";
import type { ListedUser, TypedLimits, UploaderLimits } from "../user-list.server";
import { accountDialogHref } from "./account-dialogs";
import { RoleField, UserButton, UserForm } from "./invitations";
import type { Strike } from "./strike-rules";
import { StrikesAndBlock } from "./strikes";
import type { UsersFailure } from "./users-action.server";

export function UserList({
  users,
  strikes,
  ownId,
  siteLimits,
  error,
}: {
  users: ListedUser[];
  strikes: Record<string, Strike[]>;
  ownId: string;
  /** The limits for uploaders who don't have individual limits. */
  siteLimits: UploaderLimits;
  error?: UsersFailure;
}) {
  return (
    <ul aria-label="Users" className="ruled rounded-lg border border-line bg-surface">
      {users.map((user) => (
        <li key={user.id} className="flex flex-wrap items-center gap-x-4 gap-y-3 p-3 sm:px-4">
          <div className="min-w-0 grow basis-64">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              <span className="min-w-0 wrap-anywhere">{user.email}</span>
              {user.id === ownId && <Badge tone="good">You</Badge>}
              {user.deactivatedAt && <Badge tone="warn">Deactivated</Badge>}
            </p>
            <p className="text-sm text-muted figures">
              {`${ROLE_LABELS[user.choice]} · ${formatQuantity(user.videos, "video")} · `}
              {user.hasSecondFactor ? "2FA on" : "2FA off"}
            </p>
            <p className="text-sm text-muted figures">
              <LastSeen user={user} />
            </p>
          </div>
          {user.id !== ownId && <Controls user={user} />}
          <AccountLinks user={user} isOwn={user.id === ownId} />
          {(user.choice === "uploader" || user.choice === "publisher") && (
            <>
              <LimitsForm
                user={user}
                siteLimits={siteLimits}
                {...(error?.limits?.id === user.id && {
                  typed: error.limits,
                  error: error.detail,
                })}
              />
              <StrikesAndBlock user={user} strikes={strikes[user.id] ?? []} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function LastSeen({ user }: { user: ListedUser }) {
  if (user.deactivatedAt) {
    return (
      <>
        Deactivated <Time value={user.deactivatedAt} />
      </>
    );
  }
  if (!user.lastUsedAt) return "Not signed in";
  return (
    <>
      {`${formatQuantity(user.sessions, "session")}, last used `}
      <Time value={user.lastUsedAt} />
    </>
  );
}

function Controls({ user }: { user: ListedUser }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {/* The key makes the field show the new role after another owner has changed it. */}
      <UserForm id={user.id} key={user.choice}>
        <RoleField label={`Role of ${user.email}`} choice={user.choice} isLabelHidden />
        <UserButton intent="role" label={`Set the role of ${user.email}`}>
          Set
        </UserButton>
      </UserForm>
      <UserForm id={user.id}>
        {user.sessions > 0 && (
          <UserButton intent="end-sessions" label={`End sessions of ${user.email}`}>
            End sessions
          </UserButton>
        )}
        {user.deactivatedAt ? (
          <UserButton intent="reactivate" label={`Reactivate ${user.email}`}>
            Reactivate
          </UserButton>
        ) : (
          <UserButton intent="deactivate" variant="danger" label={`Deactivate ${user.email}`}>
            Deactivate
          </UserButton>
        )}
      </UserForm>
    </div>
  );
}

function AccountLinks({ user, isOwn }: { user: ListedUser; isOwn: boolean }) {
  const links = [
    user.videos > 0 &&
      (["transfer", "Transfer videos", `Transfer videos of ${user.email}`] as const),
    !isOwn && (["delete", "Delete account", `Delete account ${user.email}`] as const),
  ].filter((link) => link !== false);
  if (links.length === 0) return null;
  return (
    <div className="-mt-2 -ml-3 flex w-full flex-wrap items-center gap-2">
      {links.map(([kind, text, label]) => (
        <ButtonLink
          key={kind}
          to={accountDialogHref(kind, user.id)}
          preventScrollReset
          variant="ghost"
          size="sm"
          aria-label={label}
        >
          {text}
        </ButtonLink>
      ))}
    </div>
  );
}

/** The limits for an uploader. Invalid values are shown again with the error. */
function LimitsForm({
  user,
  siteLimits,
  typed,
  error,
}: {
  user: ListedUser;
  /** The site's limits, shown as placeholders. */
  siteLimits: UploaderLimits;
  typed?: TypedLimits;
  error?: string;
}) {
  const { limits } = user;
  const shown = typed ?? textsOf(limits);
  const defaults = textsOf(siteLimits);
  const isLimited = Object.values(limits).some((limit) => limit !== null);
  return (
    <details className="w-full" open={typed !== undefined}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-sm text-muted hover:text-ink">
        {isLimited ? "Upload limits (custom)" : "Upload limits"}
        <span className="sr-only">{` of ${user.email}`}</span>
      </summary>
      {/* The key makes the fields show the new limits after another owner has changed them. */}
      <UserForm id={user.id} key={JSON.stringify(shown)} className="flex flex-col gap-3 pb-2">
        <p className="text-sm text-muted">
          Leave a field blank to use the site’s limit. Enter 0 for no limit.
        </p>
        <div className="grid gap-3 sm:max-w-2xl sm:grid-cols-3">
          {(
            [
              ["gigabytes", "Storage in GB", "decimal"],
              ["videosPerDay", "Videos per 24 hours", "numeric"],
              ["queuedJobs", "Queued jobs", "numeric"],
            ] as const
          ).map(([name, label, inputMode]) => (
            <Field
              key={name}
              label={label}
              name={name}
              inputMode={inputMode}
              autoComplete="off"
              defaultValue={shown[name]}
              placeholder={defaults[name] ? `Site limit: ${defaults[name]}` : "Site limit: none"}
            />
          ))}
        </div>
        {error && (
          <p role="alert" className="text-sm text-bad">
            {error}
          </p>
        )}
        <div>
          <Button name="intent" value="limits" variant="secondary" size="sm">
            Save limits<span className="sr-only">{` of ${user.email}`}</span>
          </Button>
        </div>
      </UserForm>
    </details>
  );
}

function textsOf({ maxBytes, maxVideosPerDay, maxQueuedJobs }: UploaderLimits): TypedLimits {
  return {
    gigabytes: maxBytes === null ? "" : String(Number((maxBytes / 1024 ** 3).toFixed(3))),
    videosPerDay: maxVideosPerDay === null ? "" : String(maxVideosPerDay),
    queuedJobs: maxQueuedJobs === null ? "" : String(maxQueuedJobs),
  };
}
