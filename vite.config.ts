import { fileURLToPath } from "node:url";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";
import remixConfig from "./remix.config.js";

declare module "@remix-run/node" {
  interface Future {
    v3_singleFetch: true;
  }
}

export const alias = {
  "~db": fileURLToPath(new URL("./db", import.meta.url)),
  "~": fileURLToPath(new URL("./app", import.meta.url)),
};

/** Makes a file of the program of the catalogue's threads, beside the bundle of the server. */
function catalogueThread(): Plugin {
  let forServer = false;
  return {
    name: "catalogue-thread",
    apply: "build",
    configResolved(config) {
      forServer = Boolean(config.build.ssr);
    },
    buildStart() {
      if (!forServer) return;
      this.emitFile({
        type: "chunk",
        id: fileURLToPath(new URL("./app/catalogue/catalogue-thread.server.ts", import.meta.url)),
        fileName: "catalogue-thread.js",
      });
    },
  };
}

/** What every page needs of the framework, in one file that changes only with its packages. */
function frameworkChunk(id: string): string | undefined {
  const framework =
    /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|@remix-run)\//;
  return framework.test(id) ? "framework" : undefined;
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixConfig), catalogueThread()],
  resolve: { alias },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // A browser asks HTTP/1.1 for six files at a time: a dozen crumbs cost more than they spare.
    ...(!isSsrBuild && {
      rollupOptions: {
        output: { manualChunks: frameworkChunk, experimentalMinChunkSize: 12_000 },
      },
    }),
  },
}));
