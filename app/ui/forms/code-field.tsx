import { Field } from "./field";

/** The field for a second-factor code, at sign-in and for changes that require it with the password. */
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
