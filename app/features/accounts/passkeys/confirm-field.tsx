import { useSubmit } from "@remix-run/react";
import type { FormEvent } from "react";
import { useToast } from "~/ui/feedback/toast";
import { answerWithPasskey } from "~/ui/forms/ask-for-passkey";
import { Field } from "~/ui/forms/field";

export const ACCOUNT_CHALLENGE_PATH = "/admin/account/passkey";

/**
 * A field that confirms the user's identity. It asks for the password or, if the account has none, for a passkey when
 * the form is submitted.
 */
export function ConfirmField({
  hasPassword,
  label = "Current password",
  error,
}: {
  hasPassword: boolean;
  label?: string;
  error?: string;
}) {
  if (hasPassword) {
    return (
      <Field
        label={label}
        name="current"
        type="password"
        autoComplete="current-password"
        required
        error={error}
      />
    );
  }
  return (
    <>
      <p className="text-sm text-muted">Your browser will ask for one of your passkeys.</p>
      {error && <p className="text-sm text-bad">{error}</p>}
    </>
  );
}

/**
 * Returns the `onSubmit` handler for a form that is confirmed with a passkey.
 *
 * @param wanted false if the form has a password field instead.
 */
export function usePasskeyConfirmation(wanted: boolean) {
  const submit = useSubmit();
  const show = useToast();
  if (!wanted) return undefined;
  return async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const form = new FormData(event.currentTarget, submitter);
    try {
      const passkey = await answerWithPasskey(ACCOUNT_CHALLENGE_PATH);
      if (!passkey) return;
      form.set("passkey", passkey);
      submit(form, { method: "post" });
    } catch (error) {
      show({ title: "Error", description: (error as Error).message, kind: "error" });
    }
  };
}
