import { useEffect } from "react";

/**
 * Registers the service worker once the page is loaded.
 *
 * @param enabled false while the age gate is shown, so that visitors who leave have nothing stored.
 */
export function useServiceWorker(enabled: boolean): void {
  useEffect(() => {
    if (!enabled || !("serviceWorker" in navigator)) return;
    // Rejected in a private window or without HTTPS; the site works without it.
    const register = () => void navigator.serviceWorker.register("/sw.js").catch(() => {});
    if (document.readyState === "complete") register();
    else window.addEventListener("load", register, { once: true });
    return () => window.removeEventListener("load", register);
  }, [enabled]);
}
