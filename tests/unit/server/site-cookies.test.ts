import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cookiesIn, hasPersonalCookie, SITE_COOKIES } from "~/platform/site-cookies";

const PERSONAL = SITE_COOKIES.filter((name) => name !== "age");
const isOwn = (name: string) => (SITE_COOKIES as readonly string[]).includes(name.trim());

/** Names of other sites' cookies, including names similar to those of this site. */
const foreignName = fc
  .oneof(
    fc.string({ maxLength: 12 }),
    fc
      .tuple(fc.constantFrom(...SITE_COOKIES), fc.constantFrom("x", "_", "-", "2", "."))
      .chain(([name, more]) =>
        fc.constantFrom(`${name}${more}`, `${more}${name}`, name.toUpperCase()),
      ),
  )
  .filter((name) => !/[;=]/.test(name) && !isOwn(name));
const value = fc.string({ maxLength: 20 }).filter((text) => !text.includes(";"));
const foreign = fc.tuple(foreignName, value).map(([name, text]) => `${name}=${text}`);
const age = fc.constantFrom("age=18", "age=", "age=x.y");
const separator = fc.constantFrom(";", "; ", " ;  ");

/** Generates a Cookie header that contains these cookies in any order. */
const header = (...parts: fc.Arbitrary<string>[]) =>
  fc
    .tuple(fc.array(fc.oneof(foreign, age), { maxLength: 6 }), ...parts)
    .chain(([others, ...own]) => {
      const all = [...others, ...own];
      return fc
        .tuple(fc.shuffledSubarray(all, { minLength: all.length }), separator)
        .map(([pairs, between]) => pairs.join(between));
    });

describe("a Cookie header", () => {
  it("isn't personal if it contains none of the site's cookies except the age cookie", () => {
    fc.assert(fc.property(header(), (text) => !hasPersonalCookie(text)));
  });

  it("is personal if it contains any other site cookie, whatever its value", () => {
    const own = fc
      .tuple(fc.constantFrom(...PERSONAL), value)
      .map(([name, text]) => `${name}=${text}`);
    fc.assert(fc.property(header(own), hasPersonalCookie));
  });

  it("can contain spaces around names and values, and equals signs in values", () => {
    expect(cookiesIn(" session = a=b ;;toast;x=")).toEqual([
      { name: "session", value: "a=b" },
      { name: "x", value: "" },
    ]);
  });
});
