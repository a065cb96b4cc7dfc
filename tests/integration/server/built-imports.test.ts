import fs from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { dependencies } from "../../../package.json";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const IMPORT =
  /^(?:import|export)\b[^"'\n;]*["']([^."'/][^"']*)["'];$|\bimport\("([^."/][^"]*)"\)/gm;
const ONLY_ELSEWHERE = ["@simplewebauthn/browser", "tus-js-client", "tsx/esm/api"];

/**
 * A transitive dependency may be missing from the top level of node_modules, or a different version of it may be there.
 */
it.each(["build/server", "build/commands"])(
  "%s imports only packages that package.json lists",
  (folder) => {
    const files = fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js"));
    const imported = files.flatMap((name) =>
      [...fs.readFileSync(path.join(root, folder, name), "utf8").matchAll(IMPORT)].filter(
        // These modules are imported only in a browser, or only if the site hasn't been built.
        ([, , dynamic = ""]) => !ONLY_ELSEWHERE.includes(dynamic),
      ),
    );
    const packages = new Set(
      imported
        .map(([, fixed, dynamic]) => fixed ?? dynamic ?? "")
        .filter((name) => !isBuiltin(name))
        .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/")),
    );
    expect(packages.size).toBeGreaterThan(3);
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  },
);
