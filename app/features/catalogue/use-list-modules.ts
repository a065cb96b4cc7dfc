import { useEffect } from "react";

/** Where visitors go most. */
const ROUTES = [
  "features/catalogue/routes/home",
  "features/catalogue/routes/categories",
  "features/catalogue/routes/trending",
  "features/watch/routes/video",
];
const TRY_EVERY_MS = 1_000;
const MAX_ATTEMPTS = 10;

/**
 * Loads the scripts of the lists and of the video page when the browser has nothing else to do. The
 * framework imports them at the first visit, and reloads the whole page when that fails: offline
 * the page on the screen would be gone.
 */
export function useListModules(): void {
  useEffect(() => {
    let attempts = 0;
    // The framework learns of a route from the links on the page, some time after the first paint.
    const timer = setInterval(() => {
      attempts += 1;
      const known = window.__remixManifest.routes;
      for (const id of ROUTES) if (known[id]) preload(known[id]);
      if (attempts === MAX_ATTEMPTS || ROUTES.every((id) => known[id])) clearInterval(timer);
    }, TRY_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}

function preload({ module, imports = [] }: { module: string; imports?: string[] }): void {
  for (const href of [module, ...imports]) {
    if (document.querySelector(`link[rel="modulepreload"][href="${CSS.escape(href)}"]`)) continue;
    const link = Object.assign(document.createElement("link"), { rel: "modulepreload", href });
    link.setAttribute("fetchpriority", "low");
    document.head.append(link);
  }
}
