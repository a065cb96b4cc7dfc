import { useEffect } from "react";

/**
 * Registers the service worker once the page has loaded.
 *
 * @param enabled false while the age gate is shown, so that nothing is stored on the devices of visitors who leave.
 */
export function useServiceWorker(enabled: boolean): void {
  useEffect(() => {
    if (!enabled || !("serviceWorker" in navigator)) return;
    // Browsers reject the registration in a private window or without HTTPS. The site also works without the service
    // worker.
    const register = () => void navigator.serviceWorker.register("/sw.js").catch(() => {});
    if (document.readyState === "complete") register();
    else window.addEventListener("load", register, { once: true });
    return () => window.removeEventListener("load", register);
  }, [enabled]);
}
