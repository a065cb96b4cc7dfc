/**
 * The names of all cookies that the site sets. `signedCookie` doesn't accept any other names, and the page cache
 * ignores all other cookies. `features/site/browser-data.ts` describes the purpose of each.
 */
export const SITE_COOKIES = [
  "age",
  "age-check",
  "report",
  "session",
  "second-step",
  "passkey-challenge",
  "return-to",
  "device",
  "toast",
] as const;

export type SiteCookie = (typeof SITE_COOKIES)[number];

/** Parses a Cookie header. All code that reads cookies uses this function. A name can occur more than once. */
export function cookiesIn(header: string): { name: string; value: string }[] {
  return header.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    if (at < 0) return [];
    return [{ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }];
  });
}

const OWN: ReadonlySet<string> = new Set(SITE_COOKIES);

/** Whether a Cookie header contains any of the site's cookies other than the age cookie. */
export function hasPersonalCookie(header: string): boolean {
  return cookiesIn(header).some(({ name }) => name !== "age" && OWN.has(name));
}
