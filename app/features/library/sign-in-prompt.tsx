import { LogIn } from "lucide-react";
import { ButtonLink } from "~/ui/button";
import { useHydrated } from "~/ui/use-hydrated";

/** Stands on the panel when the session has ended; what was typed stays on the page below it. */
export function SignInPrompt({
  message = "Your session has ended.",
  link = "Sign In to Upload",
  isInDialog = false,
}: {
  message?: string;
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
        <p className="font-semibold">{message}</p>
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
