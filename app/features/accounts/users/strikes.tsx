import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { CheckField, Field } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import type { ListedUser } from "../user-list.server";
import { UserButton, UserForm } from "./invitations";
import { LONGEST_REASON, STRIKE_DAYS, type Strike } from "./strike-rules";

/** The strikes of an uploader, with what owners can do about them: give one, take one back, block. */
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
              label={`Reason of a strike for ${user.email}`}
              name="reason"
              hint={`They read it on the page of their account. It counts for ${STRIKE_DAYS} days.`}
              maxLength={LONGEST_REASON}
              required
            />
          </div>
          <Button name="intent" value="strike" variant="secondary">
            Give a strike
          </Button>
        </UserForm>
        <BlockForm user={user} />
      </div>
    </details>
  );
}

/** Of an account that is blocked already, what is left to do is to hide its videos. */
function BlockForm({ user }: { user: ListedUser }) {
  const isIn = user.deactivatedAt === null;
  return (
    <UserForm id={user.id} className="flex flex-wrap items-center gap-3">
      {isIn ? (
        <CheckField name="hide">Hide what they have published</CheckField>
      ) : (
        <input type="hidden" name="hide" value="1" />
      )}
      <UserButton
        intent="block"
        variant="danger"
        label={isIn ? `Block ${user.email}` : `Hide what ${user.email} has published`}
      >
        {isIn ? "Block" : "Hide what they have published"}
      </UserButton>
    </UserForm>
  );
}

/** @param withdrawFrom whose strikes they are, for who may take them back. */
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
      aria-label={withdrawFrom ? `Strikes of ${withdrawFrom}` : "Strikes"}
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
              <UserButton intent="withdraw-strike">Withdraw the strike</UserButton>
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
