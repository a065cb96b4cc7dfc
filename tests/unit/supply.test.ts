import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import site from "../../package.json";
import { isAllowed, licencesPage, refusedPackages } from "../../scripts/supply/licences-page";
import { lockedPackages } from "../../scripts/supply/packages";
import { sbomDocument } from "../../scripts/supply/sbom-document";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const packages = lockedPackages(path.join(root, "package-lock.json"));

describe("the packages of the lock file", () => {
  it("have licences that are on the list, and docs/licences.md names them all", () => {
    expect(packages.length).toBeGreaterThan(500);
    expect(refusedPackages(packages)).toEqual([]);
    expect(read("docs/licences.md"), "run npm run licences").toBe(licencesPage(packages));
  });

  it("are refused with a licence that is on no list, or unknown", () => {
    const one = packages.find(({ isDevelopment }) => !isDevelopment)!;
    for (const license of ["GPL-3.0-only", "unknown", "MPL-2.0", "MIT AND SSPL-1.0"]) {
      expect(refusedPackages([{ ...one, license }])).toHaveLength(1);
    }
    expect(isAllowed("(MIT OR GPL-3.0-or-later)", ["MIT"])).toBe(true);
    expect(isAllowed("MIT AND GPL-3.0-or-later", ["MIT"])).toBe(false);
    expect(isAllowed("(MIT OR X) AND (Y OR Z)", ["MIT", "Y"])).toBe(false);
  });

  it("run no script at their installation but the two that are known", () => {
    const names = packages.filter((one) => one.hasInstallScript).map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(["better-sqlite3", "esbuild"]);
    expect(Object.keys(site.allowScripts).sort()).toEqual(["better-sqlite3", "esbuild"]);
  });

  it("are known by their content, and by no address", () => {
    expect(read("package-lock.json")).not.toContain('"resolved"');
    const unproved = packages.filter(({ integrity }) => !integrity?.startsWith("sha512-"));
    // Of tools for other systems the lock file has no hash; the site is not served with them.
    expect(unproved.filter((one) => !one.isDevelopment).map(({ name }) => name)).toEqual([]);
  });
});

describe("the bill of materials", () => {
  const document = sbomDocument(site, packages);

  it("is the same each time", () => {
    expect(JSON.stringify(sbomDocument(site, packages))).toBe(JSON.stringify(document));
    expect(JSON.stringify(document)).not.toMatch(/timestamp|serialNumber/);
  });

  it("has every package once, with its hash, and only uses that it has", () => {
    const references = document.components.map((one) => (one as { purl: string }).purl);
    expect(new Set(references).size).toBe(references.length);
    expect(references).toContain(
      `pkg:npm/%40remix-run/node@${site.dependencies["@remix-run/node"]}`,
    );
    for (const one of document.components as { hashes?: { content: string }[] }[]) {
      for (const { content } of one.hashes ?? []) expect(content).toMatch(/^[0-9a-f]{128}$/);
    }
    const known = new Set([...references, "pkg:npm/afterdark@0.1.0"]);
    for (const { ref, dependsOn } of document.dependencies) {
      expect(known).toContain(ref);
      for (const name of dependsOn) expect(known).toContain(name);
    }
    const own = document.dependencies.find(({ ref }) => ref === "pkg:npm/afterdark@0.1.0")!;
    const direct = { ...site.dependencies, ...site.devDependencies };
    expect(own.dependsOn).toHaveLength(Object.keys(direct).length);
  });
});

it("says plainly when the registry offers no signatures", async () => {
  const registry = http.createServer((_, response) => response.writeHead(404).end());
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  const { port } = registry.address() as AddressInfo;
  const child = spawn(process.execPath, ["--import", "tsx", "scripts/supply/signatures.ts"], {
    cwd: root,
    env: { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  registry.close();
  expect(said).toContain("could not be verified: this registry offers none (it answers 404");
  expect(code).toBe(3);
}, 60_000);

it("nothing that runs in the image needs a shell", () => {
  const sources = ["app", "db"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => path.join(folder, file)),
  );
  const shells = [...sources, "scripts/start.mjs", "scripts/prepare.mjs"].filter((file) =>
    /shell: true|\bexecSync\(|import \{[^}]*\bexec\b[^}]*\} from "node:child_process"|execaCommand|"\/bin\/sh"/.test(
      read(file),
    ),
  );
  expect(shells).toEqual([]);
  const dockerfile = read("Dockerfile");
  for (const line of dockerfile.match(/^ *CMD .*$/gm) ?? []) expect(line).toMatch(/CMD \["node", /);
  expect(dockerfile).not.toContain("ENTRYPOINT");
});
