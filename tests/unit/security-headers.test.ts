import { afterEach, expect, it } from "vitest";
import { contentSecurityPolicy } from "~/server/node/security-headers.server";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
afterEach(() => site.remove());

it.each([
  ["production", "style-src 'self'"],
  ["development", "style-src 'self' 'unsafe-inline'"],
])("styles in the page are for the development server alone: %s", (environment, expected) => {
  site = useTemporarySite({ NODE_ENV: environment });
  expect(contentSecurityPolicy("abc").split("; ")).toContain(expected);
});

it("scripts in the page need the nonce", () => {
  site = useTemporarySite();
  expect(contentSecurityPolicy("abc")).toContain("script-src 'self' 'nonce-abc';");
});
