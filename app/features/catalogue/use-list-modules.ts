import { useEffect } from "react";

/** The most visited routes. */
const ROUTES = [
  "features/catalogue/routes/home",
  "features/catalogue/routes/categories",
  "features/catalogue/routes/trending",
  "features/watch/routes/video",
];
const TRY_EVERY_MS = 1_000;
const MAX_ATTEMPTS = 10;

/**
 * Preloads the scripts for the lists and the video page at low priority. Otherwise, the framework would import them on
 * the first visit and reload the whole page if that fails, so the current page would be lost if the visitor is offline.
 */
export function useListModules(): void {
  useEffect(() => {
    let attempts = 0;
    // The framework discovers routes from the links on the page some time after the first paint.
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
