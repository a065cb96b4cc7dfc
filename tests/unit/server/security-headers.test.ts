import { createHash } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { contentSecurityPolicy } from "~/platform/node/security-headers.server";
import { createScriptNonce, hashScripts } from "~/platform/script-hashes.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
afterEach(() => site.remove());

it.each([
  ["production", "style-src 'self'"],
  ["development", "style-src 'self' 'unsafe-inline'"],
])("allows inline styles only in development: %s", (environment, expected) => {
  site = useTemporarySite({ NODE_ENV: environment });
  expect(contentSecurityPolicy([]).split("; ")).toContain(expected);
});

it("allows inline scripts by hash", () => {
  site = useTemporarySite();
  expect(contentSecurityPolicy(["'sha256-abc'"])).toContain("script-src 'self' 'sha256-abc';");
});

it("hashes only scripts that have the page's nonce, and removes the nonce", () => {
  site = useTemporarySite();
  const nonce = createScriptNonce();
  const html = `<script>stolen()</script><script nonce="other">stolen()</script><p>nonce="${nonce}"</p>
    <script nonce="${nonce}" type="module">own()</script><script nonce="${nonce}" src="/a.js"></script>`;
  const hashed = hashScripts(html, nonce);
  const hash = createHash("sha256").update("own()").digest("base64");
  expect(hashed.sources).toEqual([`'sha256-${hash}'`]);
  expect(hashed.html).toContain(`<script type="module">own()</script><script src="/a.js">`);
  expect(createScriptNonce()).not.toBe(nonce);
});
