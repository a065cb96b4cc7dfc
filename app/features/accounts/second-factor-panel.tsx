import { Form } from "@remix-run/react";
import { useState } from "react";
import { Button } from "~/ui/button";
import { CodeField } from "~/ui/forms/code-field";
import { Field } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { ConfirmField, usePasskeyConfirmation } from "./passkeys/confirm-field";

interface State {
  factor: { enabledAt?: string; recoveryCodesLeft: number };
  enrollment?: { key: string; qrCode: string };
  hasPassword: boolean;
  /** Whether one of the account's passkeys works on this host name. */
  hasPasskey: boolean;
  busy: boolean;
  error?: string;
  /** The error for the code that confirms a change. */
  codeError?: string;
}

/** Two-factor authentication: off, being set up, or on. */
export function SecondFactorPanel({ enrollment, ...state }: State) {
  const { hasPassword, busy, error } = state;
  if (state.factor.enabledAt) return <TurnedOn {...state} />;
  if (enrollment) return <SetUp enrollment={enrollment} busy={busy} error={error} />;
  return <TurnedOff {...{ hasPassword, busy, error }} />;
}

function TurnedOff({ hasPassword, busy, error }: Pick<State, "hasPassword" | "busy" | "error">) {
  const confirm = usePasskeyConfirmation(!hasPassword);
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4" onSubmit={confirm}>
      <p className="text-muted">
        When two-factor authentication is on, you need your password and a code from an
        authenticator app on your phone to sign in. Passkeys don’t need a code, because they already
        combine two factors.
      </p>
      <ConfirmField hasPassword={hasPassword} label="Your password" error={error} />
      <div>
        <Button variant="secondary" name="intent" value="second-factor-begin" disabled={busy}>
          Set up authenticator app
        </Button>
      </div>
    </Form>
  );
}

function SetUp({
  enrollment,
  busy,
  error,
}: Required<Pick<State, "enrollment">> & Pick<State, "busy" | "error">) {
  return (
    <div className="flex flex-col gap-6 sm:flex-row">
      <img
        src={enrollment.qrCode}
        alt="QR code for an authenticator app"
        width={192}
        height={192}
        className="size-48 shrink-0 rounded-md"
      />
      <div className="flex max-w-md flex-1 flex-col gap-4">
        <p className="text-muted">
          Scan the QR code with your authenticator app, or enter this key:
        </p>
        <p className="font-mono break-words">{enrollment.key}</p>
        <Form method="post" className="flex flex-col gap-4">
          <input type="hidden" name="intent" value="second-factor-confirm" />
          <Field
            label="Code from the app"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={10}
            required
            error={error}
          />
          <div>
            <Button busy={busy} busyLabel="Turning on...">
              Turn on
            </Button>
          </div>
        </Form>
      </div>
    </div>
  );
}

function TurnedOn({
  factor,
  hasPassword,
  hasPasskey,
  busy,
  error,
  codeError,
}: Omit<State, "enrollment">) {
  const { enabledAt, recoveryCodesLeft } = factor;
  const [isPasskeyChosen, setIsPasskeyChosen] = useState(false);
  const isPasskeyUsed = !hasPassword || isPasskeyChosen;
  const confirm = usePasskeyConfirmation(isPasskeyUsed);
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4" onSubmit={confirm}>
      <p className="text-muted">
        On since {enabledAt && <Time value={enabledAt} />}.{" "}
        {recoveryCodesLeft === 1
          ? "1 recovery code left."
          : `${recoveryCodesLeft} recovery codes left.`}
      </p>
      <ConfirmField hasPassword={!isPasskeyUsed} error={error} />
      {!isPasskeyUsed && <CodeField error={codeError} />}
      {hasPassword && hasPasskey && (
        <Button
          type="button"
          variant="ghost"
          size="sm"
          className="self-start scriptless:hidden"
          onClick={() => setIsPasskeyChosen(!isPasskeyChosen)}
        >
          {isPasskeyChosen ? "Use password and code" : "Use a passkey instead"}
        </Button>
      )}
      <div className="flex flex-wrap gap-3">
        <Button variant="secondary" name="intent" value="recovery-codes" disabled={busy}>
          Create new recovery codes
        </Button>
        <Button variant="danger" name="intent" value="second-factor-off" disabled={busy}>
          Turn off
        </Button>
      </div>
    </Form>
  );
}

/** The new recovery codes, which are shown only once because only their hashes are stored. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <PageSection id="recovery-codes" title="Your recovery codes">
      <p className="text-muted">
        Save these codes where you can find them without your phone. Each code works once. The codes
        won’t be shown again.
      </p>
      <ul className="grid gap-2 font-mono md:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </PageSection>
  );
}
