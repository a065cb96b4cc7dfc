import { useEffect } from "react";

/**
 * Registers the service worker once the page is loaded.
 *
 * @param enabled false while somebody is asked for their age: who leaves then has nothing of the site.
 */
export function useServiceWorker(enabled: boolean): void {
  useEffect(() => {
    if (!enabled || !("serviceWorker" in navigator)) return;
    // Refused in a private window, or where the site is reached without https: it works as before.
    const register = () => void navigator.serviceWorker.register("/sw.js").catch(() => {});
    if (document.readyState === "complete") register();
    else window.addEventListener("load", register, { once: true });
    return () => window.removeEventListener("load", register);
  }, [enabled]);
}
