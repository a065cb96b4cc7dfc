import { createHash } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { contentSecurityPolicy } from "~/platform/node/security-headers.server";
import { hashScripts, newScriptMark } from "~/platform/script-hashes.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
afterEach(() => site.remove());

it.each([
  ["production", "style-src 'self'"],
  ["development", "style-src 'self' 'unsafe-inline'"],
])("styles in the page are for the development server alone: %s", (environment, expected) => {
  site = useTemporarySite({ NODE_ENV: environment });
  expect(contentSecurityPolicy([]).split("; ")).toContain(expected);
});

it("scripts in the page need their hash", () => {
  site = useTemporarySite();
  expect(contentSecurityPolicy(["'sha256-abc'"])).toContain("script-src 'self' 'sha256-abc';");
});

it("only scripts that carry the page's own mark are hashed, and the mark does not stay", () => {
  site = useTemporarySite();
  const mark = newScriptMark();
  const html = `<script>stolen()</script><script nonce="other">stolen()</script><p>nonce="${mark}"</p>
    <script nonce="${mark}" type="module">own()</script><script nonce="${mark}" src="/a.js"></script>`;
  const hashed = hashScripts(html, mark);
  const hash = createHash("sha256").update("own()").digest("base64");
  expect(hashed.sources).toEqual([`'sha256-${hash}'`]);
  expect(hashed.html).toContain(`<script type="module">own()</script><script src="/a.js">`);
  expect(newScriptMark()).not.toBe(mark);
});
