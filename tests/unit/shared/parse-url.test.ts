import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { safePath } from "~/platform/safe-redirect";
import { parseUrl } from "~/shared/addresses";

/** So often that V8 optimises the caller. */
const OFTEN = 20_000;
const LATIN_1 = "//\u00df\u00a0";

describe("the URL of a text", () => {
  it("is the one that `new URL` makes, alone or against a base", () => {
    expect(parseUrl("https://site.example/a")?.href).toBe("https://site.example/a");
    expect(parseUrl("../b", "https://site.example/a/c")?.href).toBe("https://site.example/b");
    expect(parseUrl("/b", new URL("https://site.example/a"))?.href).toBe("https://site.example/b");
  });

  it("is undefined where there is none", () => {
    for (const text of ["", "a", "//a", "http://", "http://[", "http://a b/", LATIN_1]) {
      expect(parseUrl(text), text).toBeUndefined();
    }
  });

  it("stays the same however often it is asked for", () => {
    for (let times = 0; times < OFTEN; times++) {
      if (parseUrl(LATIN_1, "http://own.invalid")) throw new Error(`at ${times}`);
      if (safePath(LATIN_1, "/fallback") !== "/fallback") throw new Error(`at ${times}`);
    }
  });

  it("is asked for in no other way", () => {
    const files = ["app", "db", "scripts"].flatMap((folder) =>
      fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(tsx?|mjs)$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    expect(files.length).toBeGreaterThan(500);
    const asking = files.filter((file) => fs.readFileSync(file, "utf8").includes("URL.canParse("));
    expect(asking).toEqual([]);
  });
});
