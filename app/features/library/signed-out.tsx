import { useLocation, useNavigation, useRevalidator } from "@remix-run/react";
import { LogIn } from "lucide-react";
import { useEffect } from "react";
import type { UploadTexts } from "~/features/upload/upload-fields";
import { ButtonLink } from "~/ui/button";
import { useHydrated } from "~/ui/use-hydrated";

/** A session that ended while the panel was open, in the browser. */

/** The answer to a form that was sent after the session had ended, with what was entered. */
export interface SignedOutAnswer {
  message: string;
  upload?: UploadTexts;
  edit?: UploadTexts;
  /** Of any other form. */
  fields?: [name: string, value: string][];
}

let shown: { address: string; data: object } | undefined;

const addressOf = ({ pathname, search }: Pick<URL, "pathname" | "search">) => pathname + search;

/** Remembers what the panel shows, for as long as it is shown. */
export function useShownData(data: object): void {
  const address = addressOf(useLocation());
  useEffect(() => {
    shown = { address, data };
    return () => {
      shown = undefined;
    };
  }, [address, data]);
}

/**
 * Loads the panel's data. Where only a refresh of the page is turned away to /auth, the page stays as
 * it is, with what was typed, and says that the session has ended.
 */
export async function loadUnlessSignedOut<Data extends object>(
  request: Request,
  load: () => Promise<Data>,
): Promise<Data> {
  try {
    return await load();
  } catch (error) {
    const target = error instanceof Response ? error.headers.get("Location") : undefined;
    const isRefresh = shown?.address === addressOf(new URL(request.url));
    if (target !== "/auth" || !shown || !isRefresh) throw error;
    return { ...(shown.data as Data), signedOut: true };
  }
}

/** Refetches the page when somebody comes back to it: the session may have ended, or begun again. */
export function useSessionCheck(): void {
  const { revalidate } = useRevalidator();
  // A navigation under way finds out by itself, and must not be begun anew.
  const isIdle = useNavigation().state === "idle";
  useEffect(() => {
    if (!isIdle) return;
    const check = () => {
      if (document.visibilityState === "visible") revalidate();
    };
    window.addEventListener("focus", check);
    document.addEventListener("visibilitychange", check);
    return () => {
      window.removeEventListener("focus", check);
      document.removeEventListener("visibilitychange", check);
    };
  }, [isIdle, revalidate]);
}

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
