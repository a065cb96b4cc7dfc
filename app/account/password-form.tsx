import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";

/** Changes the password of the account; a password manager is told which account it is. */
export function PasswordForm({
  email,
  busy,
  error,
}: {
  email: string;
  busy: boolean;
  error?: string;
}) {
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4">
      <input type="hidden" name="intent" value="password" />
      <input hidden readOnly name="username" autoComplete="username" value={email} />
      <Field
        label="Current password"
        name="current"
        type="password"
        autoComplete="current-password"
        required
        error={error}
      />
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
      <div>
        <Button busy={busy} busyLabel="Changing...">
          Change Password
        </Button>
      </div>
    </Form>
  );
}
