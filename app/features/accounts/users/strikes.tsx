import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { CheckField, Field } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import type { ListedUser } from "../user-list.server";
import { UserButton, UserForm } from "./invitations";
import { MAX_STRIKE_REASON_LENGTH, STRIKE_DAYS, type Strike } from "./strike-rules";

/** An uploader's strikes, with forms to give and withdraw strikes and to block the account. */
export function StrikesAndBlock({ user, strikes }: { user: ListedUser; strikes: Strike[] }) {
  const counting = strikes.filter(({ counts }) => counts).length;
  return (
    <details className="w-full">
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-sm text-muted hover:text-ink">
        {counting > 0 ? formatQuantity(counting, "strike") : "Strikes and block"}
        <span className="sr-only">{` of ${user.email}`}</span>
      </summary>
      <div className="flex flex-col gap-4 pb-2">
        <StrikeList strikes={strikes} withdrawFrom={user.email} />
        <UserForm id={user.id} className="flex flex-wrap items-end gap-3">
          <input type="hidden" name="shown" value={strikes.length} />
          <div className="min-w-0 grow basis-64 sm:max-w-lg">
            <Field
              label={`Reason for a strike against ${user.email}`}
              name="reason"
              hint={`Shown on their account page. A strike counts for ${STRIKE_DAYS} days.`}
              maxLength={MAX_STRIKE_REASON_LENGTH}
              required
            />
          </div>
          <Button name="intent" value="strike" variant="secondary">
            Give strike
          </Button>
        </UserForm>
        <BlockForm user={user} />
      </div>
    </details>
  );
}

/** A form that blocks an account, or hides the videos of an account that has already been deactivated. */
function BlockForm({ user }: { user: ListedUser }) {
  const isIn = user.deactivatedAt === null;
  return (
    <UserForm id={user.id} className="flex flex-wrap items-center gap-3">
      {isIn ? (
        <CheckField name="hide">Hide their published videos</CheckField>
      ) : (
        <input type="hidden" name="hide" value="1" />
      )}
      <UserButton
        intent="block"
        variant="danger"
        label={isIn ? `Block ${user.email}` : `Hide the published videos of ${user.email}`}
      >
        {isIn ? "Block" : "Hide their published videos"}
      </UserButton>
    </UserForm>
  );
}

/**
 * @param withdrawFrom the uploader's email address; set only for users who can withdraw strikes.
 */
export function StrikeList({
  strikes,
  withdrawFrom,
}: {
  strikes: Strike[];
  withdrawFrom?: string;
}) {
  if (strikes.length === 0) return null;
  return (
    <ul
      aria-label={withdrawFrom ? `Strikes against ${withdrawFrom}` : "Strikes"}
      className="flex flex-col gap-3 text-sm"
    >
      {strikes.map((strike) => (
        <li key={strike.id} className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="min-w-0 grow basis-64">
            <p className="wrap-anywhere">{strike.reason}</p>
            <p className="text-muted figures">
              <Time value={strike.givenAt} /> · <StrikeState strike={strike} />
            </p>
          </div>
          {withdrawFrom && strike.counts && (
            <UserForm id={strike.id}>
              <UserButton intent="withdraw-strike">Withdraw strike</UserButton>
            </UserForm>
          )}
        </li>
      ))}
    </ul>
  );
}

function StrikeState({ strike }: { strike: Strike }) {
  if (strike.withdrawnAt) return "withdrawn";
  if (!strike.counts) return "no longer counts";
  return (
    <>
      counts until <Time value={strike.endsAt} />
    </>
  );
}
