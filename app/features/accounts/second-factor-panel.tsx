import { Form } from "@remix-run/react";
import { useState } from "react";
import { Button } from "~/ui/button";
import { CodeField } from "~/ui/forms/code-field";
import { Field } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { ConfirmField, useConfirmedByPasskey } from "./passkeys/confirm-field";

interface State {
  factor: { enabledAt?: string; recoveryCodesLeft: number };
  enrolment?: { key: string; qrCode: string };
  hasPassword: boolean;
  /** Whether one of the account's passkeys works at this address. */
  hasPasskey: boolean;
  busy: boolean;
  error?: string;
  /** What is wrong with the code that confirms a change. */
  codeError?: string;
}

/** The second factor: off, being set up, or on. */
export function SecondFactorPanel({ enrolment, ...state }: State) {
  const { hasPassword, busy, error } = state;
  if (state.factor.enabledAt) return <TurnedOn {...state} />;
  if (enrolment) return <Enrolling enrolment={enrolment} busy={busy} error={error} />;
  return <TurnedOff {...{ hasPassword, busy, error }} />;
}

function TurnedOff({ hasPassword, busy, error }: Pick<State, "hasPassword" | "busy" | "error">) {
  const confirm = useConfirmedByPasskey(!hasPassword);
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4" onSubmit={confirm}>
      <p className="text-muted">
        With a second factor, signing in takes your password and a code that an app on your phone
        shows. A passkey asks for none: it is two factors by itself.
      </p>
      <ConfirmField hasPassword={hasPassword} label="Your password" error={error} />
      <div>
        <Button variant="secondary" name="intent" value="second-factor-begin" disabled={busy}>
          Set up a second factor
        </Button>
      </div>
    </Form>
  );
}

function Enrolling({
  enrolment,
  busy,
  error,
}: Required<Pick<State, "enrolment">> & Pick<State, "busy" | "error">) {
  return (
    <div className="flex flex-col gap-6 sm:flex-row">
      <img
        src={enrolment.qrCode}
        alt="QR code for an authenticator app"
        width={192}
        height={192}
        className="size-48 shrink-0 rounded-md"
      />
      <div className="flex max-w-md flex-1 flex-col gap-4">
        <p className="text-muted">Scan it with your authenticator app, or type this key into it:</p>
        <p className="font-mono break-words">{enrolment.key}</p>
        <Form method="post" className="flex flex-col gap-4">
          <input type="hidden" name="intent" value="second-factor-confirm" />
          <Field
            label="Code that the app shows"
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
}: Omit<State, "enrolment">) {
  const { enabledAt, recoveryCodesLeft } = factor;
  const [isPasskeyChosen, setIsPasskeyChosen] = useState(false);
  const isPasskeyUsed = !hasPassword || isPasskeyChosen;
  const confirm = useConfirmedByPasskey(isPasskeyUsed);
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4" onSubmit={confirm}>
      <p className="text-muted">
        On since {enabledAt && <Time value={enabledAt} />}.{" "}
        {recoveryCodesLeft === 1
          ? "1 recovery code is left."
          : `${recoveryCodesLeft} recovery codes are left.`}
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
          Make new recovery codes
        </Button>
        <Button variant="danger" name="intent" value="second-factor-off" disabled={busy}>
          Turn off
        </Button>
      </div>
    </Form>
  );
}

/** Shown once, right after they were made; only their hashes are kept. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <PageSection id="recovery-codes" title="Your recovery codes">
      <p className="text-muted">
        Keep them where you find them without your phone. Each signs you in once. They are not shown
        again.
      </p>
      <ul className="grid gap-2 font-mono md:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </PageSection>
  );
}
