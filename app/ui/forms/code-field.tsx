import { Field } from "./field";

/** The field for a code of the second factor: at sign-in, and beside the password where a change needs both. */
export function CodeField({ error }: { error?: string }) {
  return (
    <Field
      label="Code"
      name="code"
      hint="Six digits from your authenticator app, or one of your recovery codes."
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={40}
      required
      error={error}
    />
  );
}
