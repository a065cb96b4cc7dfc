import { useLocation, useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import type { UploadTexts } from "~/features/upload/upload-fields";

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
