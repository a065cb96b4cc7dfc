import { createHash } from "node:crypto";
import { settings } from "~/platform/settings.server";
import retired from "../offline/retired-service-worker.js?raw";
import worker from "../offline/service-worker.js?raw";

/** The version, which is different for each build (vite.config.ts); undefined in tests of individual modules. */
declare const BUILD_ID: string | undefined;

const buildId = typeof BUILD_ID === "undefined" ? "" : BUILD_ID;

/**
 * Serves `/sw.js`. Browsers compare it with the installed service worker on each visit, and update it if any byte
 * differs: after a new build, after a change to the site's name, or when the service worker is switched off.
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
