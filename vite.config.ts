import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin, type Rollup } from "vite";
import remixConfig from "./remix.config.js";
import { hlsFolder } from "./scripts/hls-build";

declare module "@remix-run/node" {
  interface Future {
    v3_singleFetch: true;
  }
}

export const alias = {
  "~db": fileURLToPath(new URL("./db", import.meta.url)),
  "~": fileURLToPath(new URL("./app", import.meta.url)),
  "~hls": await hlsFolder(),
};

/** Builds the entry files of threads and processes next to the server bundle. */
function programs(sources: Record<string, string>): Plugin {
  let forServer = false;
  return {
    name: "programs",
    apply: "build",
    configResolved(config) {
      forServer = Boolean(config.build.ssr);
    },
    buildStart() {
      if (!forServer) return;
      for (const [name, source] of Object.entries(sources)) {
        const id = fileURLToPath(new URL(source, import.meta.url));
        this.emitFile({ type: "chunk", id, fileName: `${name}.js` });
      }
    },
  };
}

const PROGRAMS = {
  threads: "./app/entry.threads.server.ts",
  "account-process": "./app/features/accounts/account-process.server.ts",
  "backup-process": "./app/features/operations/backups/backup-process.server.ts",
  "image-process": "./app/media/images/image-process.server.ts",
};

const PACKAGE = /\/node_modules\/|commonjsHelpers/;
const ENTRY = /\/app\/(root|features\/[\w-]+\/routes\/[\w-]+)\.tsx$/;
/** The pages that visitors see first and most often. */
const FREQUENT = /\/routes\/(home|categories|trending|video)\.tsx$/;

/**
 * Bundles shared modules into two files instead of a dozen: "framework" for packages, which changes only with them, and
 * "site" for our own modules. A module is shared if every page needs it, or several frequent pages, or one frequent
 * page and another page.
 */
const sharedChunks: Rollup.GetManualChunk = (id, { getModuleInfo }) => {
  const entries = new Set<string>();
  const seen = new Set<string>();
  const climb = (module: string) => {
    if (seen.has(module)) return;
    seen.add(module);
    const own = module.replace(/\?.*$/, "");
    if (ENTRY.test(own)) entries.add(own);
    else for (const importer of getModuleInfo(module)?.importers ?? []) climb(importer);
  };
  climb(id);
  const frequent = [...entries].filter((entry) => FREQUENT.test(entry)).length;
  const isEverywhere = [...entries].some((entry) => entry.endsWith("/app/root.tsx"));
  // A separate file for modules that the video page shares with a rare page would load after the page's own file.
  const isShared = frequent >= 2 || (frequent === 1 && entries.size > 1);
  if (ENTRY.test(id) || (!isEverywhere && !isShared)) return undefined;
  return PACKAGE.test(id) ? "framework" : "site";
};

/** The routes without a page, which are `.ts` files. Routes with a page are `.tsx` files. */
const resourceRoutes = new Set(
  readdirSync(new URL("./app/features", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => /\/routes\/[\w-]+\.ts$/.test(file))
    .map((file) => path.basename(file, ".ts")),
);

/**
 * Hides warnings about empty chunks of resource routes. Remix creates a browser file for every route, even for one that
 * exports nothing for the browser, such as media files and the feed. No page loads it
 * (https://github.com/remix-run/remix/issues/9055). An empty chunk of a page is still reported.
 */
export const onwarn: Rollup.WarningHandlerWithDefault = (warning, warn) => {
  const isResourceRoute = warning.names?.every((name) => resourceRoutes.has(name));
  if (warning.code === "EMPTY_BUNDLE" && isResourceRoute) return;
  // A misplaced annotation in a package, which we can't fix.
  if (warning.code === "INVALID_ANNOTATION" && warning.id?.includes("/node_modules/")) return;
  warn(warning);
};

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixConfig), programs(PROGRAMS)],
  resolve: { alias },
  // Bundle packages that consist of hundreds of files, which load slowly, and have no dependencies. The dependencies of
  // a bundled package would be imported in the version at the top of node_modules.
  ssr: { noExternal: ["kysely", "lucide-react", "zod"] },
  // For the service worker, so that browsers update it after each build.
  define: { BUILD_ID: JSON.stringify(Date.now().toString(36)) },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // Over HTTP/1.1, a browser loads six files at a time, so a dozen tiny files cost more than they save.
    rollupOptions: { onwarn, ...(!isSsrBuild && { output: { manualChunks: sharedChunks } }) },
  },
}));
