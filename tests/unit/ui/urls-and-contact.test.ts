import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mailtoAddress, readContactForm } from "~/features/site/contact-form";
import { textParts } from "~/features/watch/linked-text";
import { categoryPath, LISTS, listPath, parseListLocation, videoPath } from "~/shared/addresses";
import { CATEGORY_IDS } from "~/shared/categories";
import { AGES, LENGTHS, LIST_ORDERS } from "~/shared/list-view";

describe("a generated URL", () => {
  it.each([
    [{ from: "home" }, "/"],
    [{ from: "home", page: 1, search: "" }, "/"],
    [
      { from: "home", search: "a&b é", category: "desi", page: 3 },
      "/?search=a%26b+%C3%A9&category=desi&page=3",
    ],
    [{ from: "categories" }, "/categories"],
    [{ from: "categories", category: "premium", page: 2 }, "/categories/premium?page=2"],
    [{ from: "trending", page: 2 }, "/trending?page=2"],
    [{ from: "tags", tag: "AC/DC", page: 2 }, "/tags/AC%2FDC?page=2"],
    [{ from: "home", order: "newest" }, "/"],
    [{ from: "home", order: "views", length: "short" }, "/?sort=views&length=short"],
    [{ from: "categories", order: "longest", page: 2 }, "/categories?sort=longest&page=2"],
    [
      { from: "home", search: "a", order: "longest", length: "long" },
      "/?search=a&sort=longest&length=long",
    ],
    [{ from: "trending", order: "longest", length: "long" }, "/trending"],
  ] as const)("for the list %j is %s", (listLocation, path) => {
    expect(listPath(listLocation)).toBe(path);
  });

  it("for a video contains the list from which the visitor came", () => {
    const locations = fc.record({
      from: fc.constantFrom(...LISTS),
      category: fc.option(fc.constantFrom(...CATEGORY_IDS), { nil: undefined }),
      search: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      tag: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      order: fc.constantFrom(undefined, ...LIST_ORDERS.map(({ id }) => id)),
      length: fc.constantFrom(undefined, ...LENGTHS.map(({ id }) => id)),
      since: fc.constantFrom(undefined, ...AGES.map(({ id }) => id)),
      tags: fc.constantFrom(undefined, ["a"], ["a", "b c"]),
      not: fc.constantFrom(undefined, ["é"]),
      close: fc.constantFrom(undefined, true),
      page: fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: undefined }),
    });
    // No URL can contain a dot segment, even percent-encoded (WHATWG URL).
    const ids = fc.string({ minLength: 1 }).filter((id) => id !== "." && id !== "..");
    fc.assert(
      fc.property(locations, ids, (listLocation, id) => {
        const url = new URL(videoPath(id, listLocation), "http://site.invalid");
        expect(decodeURIComponent(url.pathname.slice("/video/".length))).toBe(id);
        expect(listPath(parseListLocation(url.searchParams))).toBe(listPath(listLocation));
      }),
    );
  });

  it.each([
    ["desi", "/categories/desi"],
    ["amateur", "/categories/desi"],
    ["My own", "/categories/My%20own"],
    ["a/b?c", "/categories/a%2Fb%3Fc"],
    ["x.data", "/categories/x%2Edata"],
    ["..", "/categories"],
    ["", "/categories"],
  ])("for the stored category %j is %s", (stored, path) => {
    expect(categoryPath(stored)).toBe(path);
    const { searchParams } = new URL(
      videoPath("v", { from: "categories", category: stored }),
      "http://site.invalid",
    );
    expect(listPath(parseListLocation(searchParams))).toBe(path);
  });

  it("for an invalid list location is the home page's URL", () => {
    const invalid = new URLSearchParams("from=//evil&category=x&page=-1e9&page=2");
    expect(listPath(parseListLocation(invalid))).toBe("/");
  });
});

describe("URLs in text", () => {
  const links = (text: string) => textParts(text).filter((part) => part.href);

  it.each([
    ["See https://a.example/b?c=d#e.", ["https://a.example/b?c=d#e"]],
    ["(http://a.example)", ["http://a.example"]],
    ["two: https://a.example, https://b.example!", ["https://a.example", "https://b.example"]],
    ["javascript:alert(1) data:text/html,x file:///etc/passwd", []],
    ["mailto:a@b.example and www.a.example", []],
    ['https://a.example/"onmouseover="x', ["https://a.example/"]],
    ["https://", []],
  ])("are found in %j", (text, urls) => {
    expect(links(text).map((part) => part.href)).toEqual(urls);
  });

  it("are linked only if they use http or https, without changing the text", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("https://", "http://a.example", "javascript:", " ", "\n", '"', "<", ")."),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const parts = textParts(text);
        expect(parts.map((part) => part.text).join("")).toBe(text);
        for (const { href } of parts) if (href) expect(href).toMatch(/^https?:\/\//i);
      }),
    );
  });

  it("are found quickly, even with many punctuation marks", () => {
    const [link] = links(`https://site.example/${",".repeat(300_000)}x`);
    expect(link?.href).toMatch(/x$/);
  });
});

describe("a contact message", () => {
  const form = (fields: Record<string, string>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    return readContactForm(data);
  };
  const VALID = { name: "Ann", email: "ann@example.com", subject: "Hello", message: "One\nTwo" };

  it("requires all four fields to be filled in", () => {
    expect(form(VALID).errors).toEqual({});
    for (const field of Object.keys(VALID)) {
      expect(Object.keys(form({ ...VALID, [field]: "  " }).errors)).toEqual([field]);
    }
    expect(Object.keys(form({}).errors)).toHaveLength(4);
    expect(form({ ...VALID, email: "ann" }).errors.email).toContain("email address");
  });

  it("becomes a mailto URL in which no field can inject another", () => {
    const message = { ...VALID, subject: "Hi&bcc=all@example.com", message: "One\nTwo & ünï" };
    const url = new URL(mailtoAddress("contact@site.example", message));
    expect(url.pathname).toBe("contact@site.example");
    expect([...url.searchParams.keys()]).toEqual(["subject", "body"]);
    expect(url.searchParams.get("subject")).toBe(message.subject);
    expect(url.searchParams.get("body")).toBe("One\r\nTwo & ünï\r\n\r\nAnn\r\nann@example.com");
  });
});
