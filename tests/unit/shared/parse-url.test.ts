import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { safePath } from "~/platform/safe-redirect";
import { parseUrl } from "~/shared/addresses";

/** The number of calls after which V8 has optimized the caller. */
const MANY_CALLS = 20_000;
const LATIN_1 = "//\u00df\u00a0";

describe("parseUrl", () => {
  it("returns the same URL as `new URL`, with and without a base", () => {
    expect(parseUrl("https://site.example/a")?.href).toBe("https://site.example/a");
    expect(parseUrl("../b", "https://site.example/a/c")?.href).toBe("https://site.example/b");
    expect(parseUrl("/b", new URL("https://site.example/a"))?.href).toBe("https://site.example/b");
  });

  it("returns undefined for an invalid URL", () => {
    for (const text of ["", "a", "//a", "http://", "http://[", "http://a b/", LATIN_1]) {
      expect(parseUrl(text), text).toBeUndefined();
    }
  });

  it("returns the same result after V8 has optimized the caller", () => {
    for (let call = 0; call < MANY_CALLS; call++) {
      if (parseUrl(LATIN_1, "http://own.invalid")) throw new Error(`at ${call}`);
      if (safePath(LATIN_1, "/fallback") !== "/fallback") throw new Error(`at ${call}`);
    }
  });

  it("is used everywhere instead of URL.canParse", () => {
    const files = ["app", "db", "scripts"].flatMap((folder) =>
      fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(tsx?|mjs)$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    expect(files.length).toBeGreaterThan(500);
    const callers = files.filter((file) => fs.readFileSync(file, "utf8").includes("URL.canParse("));
    expect(callers).toEqual([]);
  });
});
