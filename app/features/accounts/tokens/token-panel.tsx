import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field, SelectField } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import { ConfirmField, useConfirmedByPasskey } from "../passkeys/confirm-field";
import { LIFETIMES_DAYS, MAX_TOKEN_NAME_LETTERS, SCOPE_NAMES, SCOPES } from "./scopes";
import type { ListedToken } from "./tokens.server";

const PANEL = "flex flex-col gap-4 rounded-lg border border-line bg-surface p-5 sm:p-6";

/** A token that was just made: nobody can read it again. */
export function NewToken({ token }: { token: string }) {
  return (
    <section aria-labelledby="new-token" className={PANEL}>
      <h2 id="new-token" className="text-lg font-semibold">
        Your new token
      </h2>
      <p>Copy it now: it is not shown again.</p>
      <p className="rounded-md border border-line-strong bg-ground p-3 wrap-anywhere select-all">
        <code>{token}</code>
      </p>
    </section>
  );
}

export function TokenForm({
  hasPassword,
  busy,
  error,
  identityError,
}: {
  hasPassword: boolean;
  busy: boolean;
  error?: string;
  /** That the password or the passkey isn't right. */
  identityError?: string;
}) {
  const confirm = useConfirmedByPasskey(!hasPassword);
  return (
    <Form method="post" className={PANEL} aria-labelledby="make-token" onSubmit={confirm}>
      <input type="hidden" name="intent" value="create" />
      <h2 id="make-token" className="text-lg font-semibold">
        Make a token
      </h2>
      <Field
        label="Name"
        name="name"
        required
        maxLength={MAX_TOKEN_NAME_LETTERS}
        hint="Which program uses it."
        error={error}
      />
      <fieldset className="flex flex-col">
        <legend className="text-sm font-medium">It may</legend>
        {SCOPE_NAMES.map((scope) => (
          <label key={scope} className="flex min-h-11 items-center gap-3 mouse:min-h-9">
            <input
              type="checkbox"
              name="scope"
              value={scope}
              defaultChecked={scope === "read"}
              className="size-5 shrink-0 accent-accent"
            />
            {SCOPES[scope]}
          </label>
        ))}
      </fieldset>
      <SelectField label="It ends after" name="days" defaultValue="90">
        {LIFETIMES_DAYS.map((days) => (
          <option key={days} value={days}>
            {days === 365 ? "A year" : `${days} days`}
          </option>
        ))}
      </SelectField>
      <ConfirmField hasPassword={hasPassword} error={identityError} />
      <div>
        <Button busy={busy} busyLabel="Making...">
          Make Token
        </Button>
      </div>
    </Form>
  );
}

export function TokenList({
  tokens,
  busy,
  now,
}: {
  tokens: ListedToken[];
  busy: boolean;
  now: number;
}) {
  return (
    <section aria-labelledby="tokens" className={PANEL}>
      <h2 id="tokens" className="text-lg font-semibold">
        Tokens
      </h2>
      {tokens.length === 0 && <p className="text-muted">There is no token yet.</p>}
      <ul className="flex flex-col ruled">
        {tokens.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-3 py-3">
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-medium wrap-anywhere">
                {token.name}
                {Date.parse(token.expiresAt) <= now && (
                  <span className="ml-2 text-sm text-bad">Ended</span>
                )}
              </p>
              <p className="text-sm text-muted">
                {token.scopes.join(", ")}; until <Time value={token.expiresAt} />;{" "}
                {token.lastUsedAt ? (
                  <>
                    last used <Time value={token.lastUsedAt} />
                  </>
                ) : (
                  "never used"
                )}
              </p>
            </div>
            <Form method="post">
              <input type="hidden" name="id" value={token.id} />
              <Button variant="danger" size="sm" name="intent" value="revoke" disabled={busy}>
                Revoke<span className="sr-only"> {token.name}</span>
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </section>
  );
}
