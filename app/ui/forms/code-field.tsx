import { Field } from "./field";

/**
 * The field for a second-factor code. It is used when signing in, and for changes that require a code in addition to
 * the password.
 */
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
