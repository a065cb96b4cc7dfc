import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const MANIFEST = /^manifest-[0-9a-f]+\.js$/;
const NAMED = "window.__remixManifest=";

/**
 * Takes the routes without a page (a media file, the feed) out of the table of routes that every page loads:
 * links and forms that lead there load the document, and a third of the table named them.
 *
 * @param {string} clientFolder the browser's build.
 */
export function leaveRoutesOfPages(clientFolder) {
  const assets = path.join(clientFolder, "assets");
  for (const name of readdirSync(assets).filter((file) => MANIFEST.test(file))) {
    const file = path.join(assets, name);
    const manifest = JSON.parse(readFileSync(file, "utf8").replace(NAMED, "").replace(/;\s*$/, ""));
    const hasPage = ({ module }) =>
      readFileSync(path.join(clientFolder, module), "utf8").trim() !== "";
    const pages = Object.entries(manifest.routes)
      .filter(([, route]) => hasPage(route))
      .map(([id, route]) => [id, withoutDefaults(route)]);
    const table = { ...manifest, routes: Object.fromEntries(pages) };
    writeFileSync(file, `${NAMED}${JSON.stringify(table)};`);
  }
}

/** A route of the table without what the framework takes for absent: false, and empty lists. */
function withoutDefaults(route) {
  const isDefault = (value) => value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(route).filter(([, value]) => !isDefault(value)));
}

/**
 * The Remix options. The Vite plugin does not read this file by itself: vite.config.ts passes it on.
 *
 * @type {import("@remix-run/dev").VitePluginConfig}
 */
export default {
  appDirectory: "app",
  buildDirectory: "build",
  serverModuleFormat: "esm",
  buildEnd: ({ viteConfig }) => leaveRoutesOfPages(path.resolve(viteConfig.root, "build/client")),
  ignoredRouteFiles: ["**/*.test.*"],
  future: {
    v3_fetcherPersist: true,
    // Off: the first page change would wait for the answer which route has the address.
    v3_lazyRouteDiscovery: false,
    v3_relativeSplatPath: true,
    v3_routeConfig: true,
    v3_singleFetch: true,
    v3_throwAbortReason: true,
  },
};
