import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { RollupOutput } from "rollup";
import { build } from "vite";
import { expect, it, vi } from "vitest";
import { alias } from "../../../vite.config";

/** The maximum size. It includes the mini player, which is in the same file. */
const MAX_BYTES = 28 * 1024;

/** Builds only the player, without React and without modules that are loaded on demand. */
async function builtPlayer(): Promise<RollupOutput> {
  const entry = fileURLToPath(
    new URL("../../../app/features/player/video-player.tsx", import.meta.url),
  );
  // Vitest sets "test", which makes Vite compile JSX in development mode, with the source path and line of every
  // element. The size would then depend on the path of the checkout.
  vi.stubEnv("NODE_ENV", "production");
  const built = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { alias },
    esbuild: { jsx: "automatic" },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "es2022",
      minify: "esbuild",
      // The player is built as an application, because library builds don't minify whitespace.
      rollupOptions: {
        input: entry,
        preserveEntrySignatures: "exports-only",
        external: ["react", "react/jsx-runtime", "react-dom", /^@remix-run\//],
      },
    },
  });
  return built as RollupOutput;
}

it("the compressed player is at most 28 KB, excluding React and hls.js", async () => {
  const { output } = await builtPlayer();
  const entry = output.find((file) => file.type === "chunk" && file.isEntry);
  const code = entry?.type === "chunk" ? entry.code : "";
  expect(code).toContain("Video not available");
  expect(code).not.toContain("video-player.tsx");
  expect(gzipSync(code).length).toBeLessThanOrEqual(MAX_BYTES);
  const later = output.filter((file) => file !== entry);
  expect(later.some((file) => file.fileName.includes("hls"))).toBe(true);
  const styles = output.filter((file) => file.fileName.endsWith(".css"));
  const css = styles.map((file) => (file.type === "asset" ? file.source : "")).join("");
  expect(css).toContain("player-bar");
  expect(gzipSync(code).length + gzipSync(css).length).toBeLessThanOrEqual(MAX_BYTES);
}, 60_000);
