import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safePath } from "~/platform/safe-redirect";

describe("a redirect target", () => {
  it.each([
    ["/", "/"],
    ["/admin?tab=manage&page=2", "/admin?tab=manage&page=2"],
    ["/video/1?from=home#top", "/video/1?from=home#top"],
    ["/?search=50%25%20off", "/?search=50%25%20off"],
    ["/?next=//evil.example", "/?next=//evil.example"],
    ["/a/../admin", "/admin"],
    // Tags that contain a space, a percent sign, a backslash or a slash.
    ["/tags/red%20dress", "/tags/red%20dress"],
    ["/tags/100%25", "/tags/100%25"],
    ["/tags/100%25%20off", "/tags/100%25%20off"],
    ["/tags/%5C", "/tags/%5C"],
    ["/tags/ac%2Fdc", "/tags/ac%2Fdc"],
  ])("%s is kept as %s", (value, expected) => expect(safePath(value, "/no")).toBe(expected));

  it.each([
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "evil.example",
    "",
    "/.//evil.example",
    "/a/..//evil.example",
    "/%2Fevil.example",
    "/%2f%2fevil.example",
    "/%5Cevil.example",
    "/%255Cevil.example",
    "/%252525255Cevil.example",
    "/%09/evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/ok\r\nSet-Cookie: a=b",
    "/\u0000",
    "/%00",
    "/%",
    " /admin",
    "/a b",
    `/${"a".repeat(2_000)}`,
    "/../%2Fevil",
    "/../%2F..",
    null,
    undefined,
    42,
    ["/"],
  ])("%j is rejected", (value) => expect(safePath(value, "/no")).toBe("/no"));

  it("never leaves the site, whatever the input", () => {
    const pieces = fc.constantFrom(
      "/",
      "\\",
      "%2F",
      "%5c",
      "%25",
      ".",
      "..",
      "@",
      ":",
      "evil",
      "\t",
      "?",
      "#",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const target = safePath(parts.join(""), "/no");
        const landed = new URL(target, "https://site.example/auth");
        expect(landed.origin).toBe("https://site.example");
        expect(safePath(target, "/no")).toBe(target);
      }),
      { numRuns: 2_000 },
    );
  });
});
