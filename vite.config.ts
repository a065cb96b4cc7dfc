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

/** Makes files of the programs of threads and processes, beside the bundle of the server. */
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
/** What visitors see first and most. */
const OFTEN = /\/routes\/(home|categories|trending|video)\.tsx$/;

/**
 * What every page needs of the framework, and what it or several of the lists and the video page
 * or one of them and a rarer page need of ours: two files instead of a dozen, the first of which
 * changes only with its packages.
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
  const often = [...entries].filter((entry) => OFTEN.test(entry)).length;
  const isEverywhere = [...entries].some((entry) => entry.endsWith("/app/root.tsx"));
  // A file of its own for what the video page shares with a rare page would come after the page's.
  const isShared = often >= 2 || (often === 1 && entries.size > 1);
  if (ENTRY.test(id) || (!isEverywhere && !isShared)) return undefined;
  return PACKAGE.test(id) ? "framework" : "site";
};

/** A route without a page is a `.ts`, one with a page a `.tsx`. */
const resourceRoutes = new Set(
  readdirSync(new URL("./app/features", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => /\/routes\/[\w-]+\.ts$/.test(file))
    .map((file) => path.basename(file, ".ts")),
);

/**
 * Remix makes a file for the browser of every route, also of those that only answer requests (a
 * media file, the feed) and export nothing for the browser: their chunk is empty, and no page loads
 * it (https://github.com/remix-run/remix/issues/9055). A page's chunk that is empty is still told.
 */
export const onwarn: Rollup.WarningHandlerWithDefault = (warning, warn) => {
  const isResourceRoute = warning.names?.every((name) => resourceRoutes.has(name));
  if (warning.code === "EMPTY_BUNDLE" && isResourceRoute) return;
  // A comment inside a package that Rollup cannot use is not ours to move.
  if (warning.code === "INVALID_ANNOTATION" && warning.id?.includes("/node_modules/")) return;
  warn(warning);
};

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixConfig), programs(PROGRAMS)],
  resolve: { alias },
  // They consist of hundreds of files, which take long to load, and need no other packages. The packages that a
  // bundled one needs would be imported in whatever version is at the top of node_modules.
  ssr: { noExternal: ["kysely", "lucide-react", "zod"] },
  // Of the service worker: browsers take a new one after each build.
  define: { BUILD_ID: JSON.stringify(Date.now().toString(36)) },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // A browser asks HTTP/1.1 for six files at a time: a dozen crumbs cost more than they spare.
    rollupOptions: { onwarn, ...(!isSsrBuild && { output: { manualChunks: sharedChunks } }) },
  },
}));
