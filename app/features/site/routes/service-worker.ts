import { createHash } from "node:crypto";
import { settings } from "~/platform/settings.server";
import retired from "../offline/retired-service-worker.js?raw";
import worker from "../offline/service-worker.js?raw";

/** Another one for each build (vite.config.ts); none in tests of single modules. */
declare const BUILD_ID: string | undefined;

const buildId = typeof BUILD_ID === "undefined" ? "" : BUILD_ID;

/**
 * `/sw.js`. Browsers compare it with the one they have at each visit, and take the new one when any byte
 * differs: after a new build, another name of the site, and when it is switched off.
 */
export function loader(): Response {
  const { serviceWorker, siteName } = settings();
  return new Response(serviceWorker ? programOf(siteName) : retired, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "no-cache",
    },
  });
}

function programOf(siteName: string): string {
  const version = createHash("sha256").update(`${buildId} ${siteName} ${worker}`).digest("hex");
  return `const VERSION = "${version.slice(0, 12)}";\n${worker}`;
}
