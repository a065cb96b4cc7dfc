import { useSubmit } from "@remix-run/react";
import type { FormEvent } from "react";
import { useToast } from "~/ui/feedback/toast";
import { answerWithPasskey } from "~/ui/forms/ask-for-passkey";
import { Field } from "~/ui/forms/field";

export const ACCOUNT_CHALLENGE_ADDRESS = "/admin/account/passkey";

/** What confirms who it is: the password, or where the account has none a passkey, when it is sent. */
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
      <p className="text-sm text-muted">You will be asked for one of your passkeys.</p>
      {error && <p className="text-sm text-bad">{error}</p>}
    </>
  );
}

/**
 * The `onSubmit` of a form that a passkey confirms.
 *
 * @param wanted false where the form has a field for the password.
 */
export function useConfirmedByPasskey(wanted: boolean) {
  const submit = useSubmit();
  const show = useToast();
  if (!wanted) return undefined;
  return async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const form = new FormData(event.currentTarget, submitter);
    try {
      const passkey = await answerWithPasskey(ACCOUNT_CHALLENGE_ADDRESS);
      if (!passkey) return;
      form.set("passkey", passkey);
      submit(form, { method: "post" });
    } catch (error) {
      show({ title: "Error", description: (error as Error).message, kind: "error" });
    }
  };
}
