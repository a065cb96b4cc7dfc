import { z } from "zod";
import type { SessionUser } from "~/features/permissions/guard.server";
import type { OpenSession } from "~/features/permissions/session.server";
import { BUSY, type Failure, failure, INCOMPLETE } from "~/platform/failure";
import { FormError } from "~/platform/form-error.server";
import { readForm, readSmallForm } from "~/platform/small-form.server";
import { formatQuantity } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { isBusy } from "~db/write-lock";
import { confirmIdentity } from "../confirm-identity.server";
import { invite, withdrawInvitation } from "../invitations.server";
import { ROLE_CHOICES, ROLE_NOUNS } from "../role-choices";
import {
  changeRole,
  endUserSessions,
  readLimits,
  setDeactivated,
  setLimits,
  type TypedLimits,
} from "../user-list.server";
import { blockUser, unblockUser } from "./block.server";
import { deleteAccount, transferVideos } from "./delete-account.server";
import { strikeMessage } from "./strike-rules";
import { giveStrike, withdrawStrike } from "./strikes.server";

const NOT_CHANGED = "Nothing was changed.";
const OWN_ACCOUNT = "You can’t do this to your own account, but another owner can.";

/** A failure, including the entered values, which are shown again. */
export interface UsersFailure extends Failure {
  email?: string;
  receiver?: string;
  limits?: TypedLimits & { id: string };
  /** Whether the password or passkey that the owner entered was wrong. */
  isIdentity?: boolean;
}

/** A new invitation, whose link is shown only once. */
export interface NewInvitation {
  path: string;
  email: string;
  /** ISO 8601 UTC. */
  expiresAt: string;
}

export type UsersAnswer = UsersFailure | ToastMessage | { invitation: NewInvitation };

const text = z.string().default("");
const FIELDS = z.object({
  ...{ intent: text, id: text, email: text, receiver: text, reason: text, shown: text, hide: text },
  ...{ gigabytes: text, videosPerDay: text, queuedJobs: text },
  role: z.enum(ROLE_CHOICES).optional().catch(undefined),
});
type Fields = z.infer<typeof FIELDS>;

/**
 * Handles a form on the users page. The `intent` field specifies the action, and the `id` field specifies the user,
 * invitation or strike.
 */
export async function performUsers(request: Request, session: OpenSession): Promise<UsersAnswer> {
  const form = await readSmallForm(request);
  const fields = readForm(FIELDS, form)!;
  try {
    if (fields.intent === "delete-account") await confirmIdentity(request, session, form);
    return await perform(fields, session.user);
  } catch (error) {
    if (error instanceof FormError) {
      const { message: detail, retryAfterSeconds } = error;
      const status = error.status as Failure["status"];
      const { email, receiver } = fields;
      // A 400 response always means a wrong password or passkey.
      const more = { detail, retryAfterSeconds, email, receiver, isIdentity: status === 400 };
      return failure(status, NOT_CHANGED, more);
    }
    if (isBusy(error)) return failure(503, NOT_CHANGED, { detail: BUSY });
    throw error;
  }
}

async function perform(
  { intent, id, role: choice, email, receiver, reason, shown, hide, ...typed }: Fields,
  owner: SessionUser,
): Promise<UsersAnswer> {
  if (id === owner.id && ["role", "deactivate", "block"].includes(intent)) {
    return failure(409, NOT_CHANGED, { detail: OWN_ACCOUNT });
  }
  switch (intent) {
    case "invite": {
      if (!choice) return INCOMPLETE;
      const { token, ...invitation } = await invite(email, choice, owner.id);
      return { invitation: { path: `/invite/${token}`, ...invitation } };
    }
    case "withdraw":
      return (await withdrawInvitation(id, owner.id))
        ? done("Invitation withdrawn.")
        : failure(404, NOT_CHANGED, { detail: "This invitation was already used or withdrawn." });
    case "role":
      if (!choice) return INCOMPLETE;
      return describe(await changeRole(id, choice, owner.id), `is now ${ROLE_NOUNS[choice]}.`);
    case "reactivate": {
      const user = await unblockUser(id, owner.id);
      const back = user?.restored ? ` ${formatQuantity(user.restored, "video")} restored.` : "";
      return describe(user, `can sign in again.${back}`);
    }
    case "deactivate":
      return describe(await setDeactivated(id, true, owner.id), "can no longer sign in.");
    case "end-sessions":
      return describe(await endUserSessions(id, owner.id), "is signed out everywhere.");
    case "limits": {
      const limits = readLimits(typed);
      if (typeof limits !== "string")
        return describe(await setLimits(id, limits, owner.id), "has new upload limits.");
      return { ...failure(422, NOT_CHANGED, { detail: limits }), limits: { id, ...typed } };
    }
    case "transfer-videos": {
      const moved = await transferVideos(id, receiver, owner.id);
      const received = `${moved?.receiver} received ${formatQuantity(moved?.videos ?? 0, "video")}.`;
      return describe(moved, `no longer has any videos. ${received}`);
    }
    case "delete-account": {
      const deleted = await deleteAccount(id, receiver || undefined, owner.id);
      const received = deleted?.receiver
        ? ` ${deleted.receiver} received ${formatQuantity(deleted.videos, "video")}.`
        : "";
      return describe(deleted, `was deleted.${received}`);
    }
    case "strike": {
      const options = shown ? { shown: Number(shown) } : {};
      const given = await giveStrike(id, reason, owner.id, options);
      return given ? done(strikeMessage(given)) : describe(undefined, "");
    }
    case "withdraw-strike": {
      const user = await withdrawStrike(id, owner.id);
      return user
        ? done(`Strike against ${user.email} withdrawn.`)
        : failure(404, NOT_CHANGED, { detail: "This strike was already withdrawn." });
    }
    case "block": {
      const user = await blockUser(id, owner.id, hide === "1");
      const hidden = user?.hidden ? ` ${formatQuantity(user.hidden, "video")} hidden.` : "";
      return describe(user, `is blocked.${hidden}`);
    }
    default:
      return INCOMPLETE;
  }
}

function describe(user: { email: string } | undefined, message: string): UsersAnswer {
  if (!user) return failure(404, NOT_CHANGED, { detail: "This user doesn’t exist." });
  return done(`${user.email} ${message}`);
}

const done = (description: string) => success("Users", description);
