import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteProcess } from "../../site-process";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const COPIED = [
  "app",
  "db",
  "scripts",
  "tests",
  "package.json",
  "package-lock.json",
  "remix.config.js",
  "tsconfig.json",
  "vite.config.ts",
];
const REPLACED = {
  "entry.server.tsx": "app/entry.server.tsx",
  "page-link.tsx": "app/ui/page-link.tsx",
};
/**
 * Returns the same site, rendered in the framework's default way: as a stream and with the framework's links. The site
 * is built from a copy of the sources, which is removed when the process exits.
 */
export async function siteWithStockRendering(): Promise<SiteProcess> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stock-site-"));
  // If the build fails, the process exits as well.
  process.once("exit", () => fs.rmSync(folder, { recursive: true }));
  for (const name of COPIED)
    fs.cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  for (const [own, replaced] of Object.entries(REPLACED))
    fs.copyFileSync(path.join(HERE, own), path.join(folder, replaced));
  const imported = (name: string) => import(path.join(folder, name));
  (await imported("scripts/prepare.mjs")).build();
  const copy = await imported("tests/site-process.ts");
  return new copy.SiteProcess();
}
