import { useLocation, useNavigation, useRevalidator } from "@remix-run/react";
import { LogIn } from "lucide-react";
import { useEffect } from "react";
import type { UploadTexts } from "~/features/upload/upload-fields";
import { ButtonLink } from "~/ui/button";
import { useHydrated } from "~/ui/use-hydrated";

/** Browser code that handles a session that ended while the studio was open. */

/** The response to a form that was submitted after the session had ended. It includes the entered values. */
export interface SignedOutResponse {
  message: string;
  upload?: UploadTexts;
  edit?: UploadTexts;
  /** The fields, if the form was neither the upload form nor the edit form. */
  fields?: [name: string, value: string][];
}

let shown: { address: string; data: object } | undefined;

const urlOf = ({ pathname, search }: Pick<URL, "pathname" | "search">) => pathname + search;

/** Remembers the studio's data while the studio is open. */
export function useRememberedData(data: object): void {
  const address = urlOf(useLocation());
  useEffect(() => {
    shown = { address, data };
    return () => {
      shown = undefined;
    };
  }, [address, data]);
}

/**
 * Loads the studio's data. If a refresh of the current page is redirected to /auth, returns the data shown before the
 * refresh together with `signedOut`, so that the page keeps unsaved input and shows that the session has ended.
 */
export async function loadUnlessSignedOut<Data extends object>(
  request: Request,
  load: () => Promise<Data>,
): Promise<Data> {
  try {
    return await load();
  } catch (error) {
    const target = error instanceof Response ? error.headers.get("Location") : undefined;
    const isRefresh = shown?.address === urlOf(new URL(request.url));
    if (target !== "/auth" || !shown || !isRefresh) throw error;
    return { ...(shown.data as Data), signedOut: true };
  }
}

/**
 * Revalidates when the user returns to the page, because the session may have ended, or the user may have signed in
 * again.
 */
export function useSessionCheck(): void {
  const { revalidate } = useRevalidator();
  // A navigation in progress checks the session itself and must not be restarted.
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

/** A prompt to sign in again after the session has ended. Unsaved input stays on the page below it. */
export function SignInPrompt({
  message = "Your session has ended.",
  link = "Sign In to Upload",
  isInDialog = false,
}: {
  message?: string;
  link?: string;
  /** Opens the sign-in page in a new tab, so that the dialog stays open. */
  isInDialog?: boolean;
}) {
  const hydrated = useHydrated();
  // With JavaScript, unsaved input is restored after signing in. Without JavaScript, the input exists only on this
  // page.
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
            ? "Sign in from a new tab, then submit this form again. Your input stays here."
            : "Your input will be restored after you sign in."}
        </p>
      </div>
      <ButtonLink to="/auth" target={newTab ? "_blank" : undefined}>
        <LogIn aria-hidden="true" className="size-4" />
        {link}
      </ButtonLink>
    </section>
  );
}
