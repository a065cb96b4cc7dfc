import { Form, useSubmit } from "@remix-run/react";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "~/ui/button";
import { answerWithPasskey, createPasskey, preloadPasskeys } from "~/ui/forms/ask-for-passkey";
import { CodeField } from "~/ui/forms/code-field";
import { Field } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import { ACCOUNT_CHALLENGE_PATH, ConfirmField, usePasskeyConfirmation } from "./confirm-field";
import type { Passkey } from "./passkeys.server";

interface State {
  passkeys: Passkey[];
  /** The host name for new passkeys; undefined if browsers don't support passkeys here. */
  rpId?: string;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  busy: boolean;
  /** Returns the error for the submitted form if it has one of these intents. */
  errorOf: (...intents: string[]) => string | undefined;
}

/** The account's passkeys: the list, a form to add one, and a button that turns the password off. */
export function PasskeyPanel({
  passkeys,
  rpId,
  hasPassword,
  hasSecondFactor,
  busy,
  errorOf,
}: State) {
  const listError = errorOf("passkey-rename", "passkey-remove");
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">
        A passkey signs you in with your device’s fingerprint reader, face recognition or PIN,
        without a password or code.
      </p>
      {listError && <p className="text-sm text-bad">{listError}</p>}
      {passkeys.length > 0 && (
        <ul className="flex flex-col ruled">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="flex flex-col gap-2 py-3">
              <PasskeyDetails passkey={passkey} rpId={rpId} />
              <details>
                <summary className="min-h-11 cursor-pointer py-2.5 text-sm text-accent mouse:min-h-9 mouse:py-1.5">
                  Rename or remove<span className="sr-only"> {passkey.name}</span>
                </summary>
                <EditPasskey passkey={passkey} hasPassword={hasPassword} busy={busy} />
              </details>
            </li>
          ))}
        </ul>
      )}
      {rpId === undefined ? (
        <p className="text-muted">
          To add a passkey, open the site over HTTPS and use its domain name.
        </p>
      ) : (
        <AddPasskeyForm
          {...{ hasPassword, hasSecondFactor, busy }}
          error={errorOf("passkey-add")}
        />
      )}
      {hasPassword && passkeys.some((each) => each.rpId === rpId) && (
        <PasswordOff busy={busy} error={errorOf("password-off")} />
      )}
    </div>
  );
}

function PasskeyDetails({ passkey, rpId }: { passkey: Passkey; rpId?: string }) {
  const { name, synced, createdAt, lastUsedAt } = passkey;
  return (
    <div>
      <p className="font-medium wrap-anywhere">
        {name}
        <span className="ml-2 text-sm text-muted">{synced ? "Synced" : "This device only"}</span>
      </p>
      <p className="text-sm text-muted">
        Added <Time value={createdAt} />,{" "}
        {lastUsedAt ? (
          <>
            last used <Time value={lastUsedAt} />
          </>
        ) : (
          "not used yet"
        )}
      </p>
      {passkey.rpId !== rpId && (
        <p className="text-sm text-warn">Works only on {passkey.rpId}, not on this domain.</p>
      )}
    </div>
  );
}

function EditPasskey({
  passkey: { id, name },
  hasPassword,
  busy,
}: { passkey: Passkey } & Pick<State, "hasPassword" | "busy">) {
  const confirm = usePasskeyConfirmation(!hasPassword);
  return (
    <div className="flex max-w-md flex-col gap-5 py-3">
      <Form method="post" className="flex flex-col gap-3">
        <input type="hidden" name="intent" value="passkey-rename" />
        <input type="hidden" name="id" value={id} />
        <Field label="Name" name="name" defaultValue={name} maxLength={60} required />
        <Button variant="secondary" size="sm" disabled={busy} className="self-start">
          Rename
        </Button>
      </Form>
      <Form method="post" className="flex flex-col gap-3" onSubmit={confirm}>
        <input type="hidden" name="intent" value="passkey-remove" />
        <input type="hidden" name="id" value={id} />
        <ConfirmField hasPassword={hasPassword} />
        <Button variant="danger" size="sm" disabled={busy} className="self-start">
          Remove<span className="sr-only"> the passkey {name}</span>
        </Button>
      </Form>
    </div>
  );
}

/** Adds a passkey in two steps: the user confirms their identity to get a challenge, then the browser creates it. */
function AddPasskeyForm({
  hasPassword,
  hasSecondFactor,
  busy,
  error,
}: Pick<State, "hasPassword" | "hasSecondFactor" | "busy"> & { error?: string }) {
  const submit = useSubmit();
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<string>();
  useEffect(preloadPasskeys, []);
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setAsking(true);
    setFailure(undefined);
    try {
      const confirmation: Record<string, string> = hasPassword
        ? { current: String(form.get("current")), code: String(form.get("code") ?? "") }
        : { passkey: (await answerWithPasskey(ACCOUNT_CHALLENGE_PATH)) ?? "" };
      const passkey = await createPasskey(ACCOUNT_CHALLENGE_PATH, confirmation);
      const name = String(form.get("name"));
      if (passkey) submit({ intent: "passkey-add", name, passkey }, { method: "post" });
    } catch (failed) {
      setFailure((failed as Error).message);
    } finally {
      setAsking(false);
    }
  };
  return (
    <form onSubmit={add} className="flex max-w-md flex-col gap-4 scriptless:hidden">
      <Field
        label="Name of the new passkey"
        name="name"
        hint="Optional, such as “Phone” or “Security key”. Defaults to this device’s name."
        maxLength={60}
      />
      <ConfirmField hasPassword={hasPassword} error={failure ?? error} />
      {hasPassword && hasSecondFactor && <CodeField />}
      <div>
        <Button busy={asking || busy} busyLabel="Waiting for your passkey...">
          Add passkey
        </Button>
      </div>
    </form>
  );
}

function PasswordOff({ busy, error }: { busy: boolean; error?: string }) {
  const confirm = usePasskeyConfirmation(true);
  return (
    <Form
      method="post"
      onSubmit={confirm}
      className="flex flex-col items-start gap-3 scriptless:hidden"
    >
      <p className="text-muted">
        Signing in only with passkeys protects you from phishing. Add a second passkey on another
        device first.
      </p>
      {error && <p className="text-sm text-bad">{error}</p>}
      <Button variant="danger" name="intent" value="password-off" disabled={busy}>
        Turn off password
      </Button>
    </Form>
  );
}
