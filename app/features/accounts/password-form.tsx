import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { ConfirmField, useConfirmedByPasskey } from "./passkeys/confirm-field";

/**
 * Changes the password of the account, or gives it one; a password manager is told which account it is.
 */
export function PasswordForm({
  email,
  hasPassword,
  busy,
  error,
}: {
  email: string;
  hasPassword: boolean;
  busy: boolean;
  error?: string;
}) {
  const confirm = useConfirmedByPasskey(!hasPassword);
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4" onSubmit={confirm}>
      <input type="hidden" name="intent" value="password" />
      <input hidden readOnly name="username" autoComplete="username" value={email} />
      {!hasPassword && (
        <p className="text-muted">
          Your account has no password: you sign in with your passkeys. You can give it one.
        </p>
      )}
      <ConfirmField hasPassword={hasPassword} error={error} />
      <Field
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 10 characters, at most 72 bytes."
        minLength={10}
        required
      />
      <Field
        label="New password again"
        name="again"
        type="password"
        autoComplete="new-password"
        required
      />
      <label className="flex min-h-11 items-center gap-3 mouse:min-h-9">
        <input type="checkbox" name="tokens" value="1" className="size-5 shrink-0 accent-accent" />
        Also revoke my API tokens
      </label>
      <div>
        <Button busy={busy} busyLabel="Changing...">
          {hasPassword ? "Change Password" : "Set a Password"}
        </Button>
      </div>
    </Form>
  );
}
