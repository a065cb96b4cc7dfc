import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../scripts", import.meta.url));
const scripts = fs
  .readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, source: fs.readFileSync(path.join(folder, name), "utf8") }))
  .filter(({ source }) => /runScript\(\s*USAGE/.test(source));

/** Returns the options mentioned in a script's usage text. */
function describedOptions(source: string): Set<string> {
  const [, usage = ""] = /const USAGE = `([^`]*)`/.exec(source)!;
  return new Set([...usage.matchAll(/--([\w-]+)/g)].map(([, option]) => option!));
}

/** Returns the options accepted by a script. */
function acceptedOptions(source: string): Set<string> {
  const options = source.matchAll(/"?([\w-]+)"?: \{ type: "(?:boolean|string)"/g);
  return new Set([...options].map(([, option]) => option!));
}

describe("script options", () => {
  it("are found in the scripts' source code", () => {
    expect(scripts.length).toBeGreaterThan(10);
    const accepted = scripts.flatMap(({ source }) => [...acceptedOptions(source)]);
    expect(accepted.length).toBeGreaterThan(30);
  });

  it.each(scripts)("match the usage text of $name", ({ source }) => {
    expect(acceptedOptions(source)).toEqual(describedOptions(source));
  });
});
