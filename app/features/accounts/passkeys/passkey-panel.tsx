import { Form, useSubmit } from "@remix-run/react";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "~/ui/button";
import { answerWithPasskey, createPasskey, preloadPasskeys } from "~/ui/forms/ask-for-passkey";
import { CodeField } from "~/ui/forms/code-field";
import { Field } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import { ACCOUNT_CHALLENGE_ADDRESS, ConfirmField, useConfirmedByPasskey } from "./confirm-field";
import type { Passkey } from "./passkeys.server";

interface State {
  passkeys: Passkey[];
  /** The host name at which new ones work; undefined where browsers offer none. */
  rpId?: string;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  busy: boolean;
  /** Of the form with this intent. */
  errorOf: (...intents: string[]) => string | undefined;
}

/** The passkeys of the account: the list, a form for another one, and the end of the password. */
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
        A passkey signs you in with the fingerprint, the face or the PIN of your device, without a
        password and a code.
      </p>
      {listError && <p className="text-sm text-bad">{listError}</p>}
      {passkeys.length > 0 && (
        <ul className="flex flex-col ruled">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="flex flex-col gap-2 py-3">
              <Description passkey={passkey} rpId={rpId} />
              <details>
                <summary className="min-h-11 cursor-pointer py-2.5 text-sm text-accent mouse:min-h-9 mouse:py-1.5">
                  Rename or remove<span className="sr-only"> {passkey.name}</span>
                </summary>
                <Change passkey={passkey} hasPassword={hasPassword} busy={busy} />
              </details>
            </li>
          ))}
        </ul>
      )}
      {rpId === undefined ? (
        <p className="text-muted">To add one, open the site by its name and over https.</p>
      ) : (
        <Adding {...{ hasPassword, hasSecondFactor, busy }} error={errorOf("passkey-add")} />
      )}
      {hasPassword && passkeys.some((each) => each.rpId === rpId) && (
        <PasswordOff busy={busy} error={errorOf("password-off")} />
      )}
    </div>
  );
}

function Description({ passkey, rpId }: { passkey: Passkey; rpId?: string }) {
  const { name, synced, createdAt, lastUsedAt } = passkey;
  return (
    <div>
      <p className="font-medium wrap-anywhere">
        {name}
        <span className="ml-2 text-sm text-muted">
          {synced ? "Copied between your devices" : "On one device"}
        </span>
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
        <p className="text-sm text-warn">Works only at {passkey.rpId}, not at this address.</p>
      )}
    </div>
  );
}

function Change({
  passkey: { id, name },
  hasPassword,
  busy,
}: { passkey: Passkey } & Pick<State, "hasPassword" | "busy">) {
  const confirm = useConfirmedByPasskey(!hasPassword);
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

/** Two steps: the site is told who it is and gives a challenge, then the browser makes the passkey. */
function Adding({
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
        : { passkey: (await answerWithPasskey(ACCOUNT_CHALLENGE_ADDRESS)) ?? "" };
      const passkey = await createPasskey(ACCOUNT_CHALLENGE_ADDRESS, confirmation);
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
        hint="Such as “Phone” or “Key on my key ring”. Without one it is called after this device."
        maxLength={60}
      />
      <ConfirmField hasPassword={hasPassword} error={failure ?? error} />
      {hasPassword && hasSecondFactor && <CodeField />}
      <div>
        <Button busy={asking || busy} busyLabel="Waiting for your passkey...">
          Add a passkey
        </Button>
      </div>
    </form>
  );
}

function PasswordOff({ busy, error }: { busy: boolean; error?: string }) {
  const confirm = useConfirmedByPasskey(true);
  return (
    <Form
      method="post"
      onSubmit={confirm}
      className="flex flex-col items-start gap-3 scriptless:hidden"
    >
      <p className="text-muted">
        With the password off only your passkeys sign you in, and nobody can talk you out of a
        password. A second passkey on another device is wise then.
      </p>
      {error && <p className="text-sm text-bad">{error}</p>}
      <Button variant="danger" name="intent" value="password-off" disabled={busy}>
        Turn the password off
      </Button>
    </Form>
  );
}
