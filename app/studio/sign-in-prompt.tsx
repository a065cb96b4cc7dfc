import { LogIn } from "lucide-react";
import { ButtonLink } from "~/ui/button";
import { useHydrated } from "~/ui/use-hydrated";

/** Stands on the panel when the session has ended; what was typed stays on the page below it. */
export function SignInPrompt({
  sentence = "Your session has ended.",
  link = "Sign In to Upload",
  isInDialog = false,
}: {
  sentence?: string;
  link?: string;
  /** Signing in must not close the dialog, so it is done in another tab. */
  isInDialog?: boolean;
}) {
  const hydrated = useHydrated();
  // Scripts bring the texts back after signing in. Without them only this page has them.
  const newTab = isInDialog || !hydrated;
  return (
    <section
      aria-label="Signed out"
      className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-warn bg-surface p-5"
    >
      <div className="min-w-0">
        <p className="font-semibold">{sentence}</p>
        <p className="text-sm text-muted">
          {newTab
            ? "Sign in in another tab, then send this again: what you typed stays here."
            : "What you typed is here again when you are back."}
        </p>
      </div>
      <ButtonLink to="/auth" target={newTab ? "_blank" : undefined}>
        <LogIn aria-hidden="true" className="size-4" />
        {link}
      </ButtonLink>
    </section>
  );
}

/** The texts of a form that can't be shown again before signing in, to be copied from. */
export function UnsavedTexts({ texts }: { texts: object }) {
  const typed = Object.entries(texts).filter(([, text]) => text !== "");
  if (typed.length === 0) return null;
  return (
    <dl className="grid gap-4 rounded-lg border border-line bg-surface p-5">
      {typed.map(([name, text]) => (
        <div key={name}>
          <dt className="text-sm text-muted capitalize">{name}</dt>
          <dd className="whitespace-pre-line">{String(text)}</dd>
        </div>
      ))}
    </dl>
  );
}
