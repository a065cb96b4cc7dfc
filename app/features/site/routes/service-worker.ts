import { createHash } from "node:crypto";
import { settings } from "~/platform/settings.server";
import retired from "../offline/retired-service-worker.js?raw";
import worker from "../offline/service-worker.js?raw";

/** Unique for each build (vite.config.ts); undefined in tests of single modules. */
declare const BUILD_ID: string | undefined;

const buildId = typeof BUILD_ID === "undefined" ? "" : BUILD_ID;

/**
 * Serves `/sw.js`. Browsers compare it with the installed one on each visit, and update when any byte differs:
 * after a new build, a change of the site's name, or when it is switched off.
 */
export function loader(): Response {
  const { serviceWorker, siteName } = settings();
  return new Response(serviceWorker ? scriptOf(siteName) : retired, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "no-cache",
    },
  });
}

function scriptOf(siteName: string): string {
  const version = createHash("sha256").update(`${buildId} ${siteName} ${worker}`).digest("hex");
  return `const VERSION = "${version.slice(0, 12)}";\n${worker}`;
}
