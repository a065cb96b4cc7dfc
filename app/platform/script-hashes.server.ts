import { createHash, randomUUID } from "node:crypto";

/**
 * A page's Content-Security-Policy allows its inline scripts by their hashes, so that the page is the same for everyone
 * and can be cached. During rendering, our own scripts have an unguessable mark in their `nonce` attribute. An injected
 * script doesn't have the mark, so it isn't hashed and doesn't run.
 */

export function createScriptNonce(): string {
  return randomUUID();
}

/** Returns the page without the marks, and the CSP sources of its marked inline scripts (CSP 3 §2.3.1). */
export function hashScripts(html: string, mark: string): { html: string; sources: string[] } {
  const parts = html.split(` nonce="${mark}"`);
  const sources = new Set<string>();
  for (const [index, after] of parts.entries()) {
    const before = parts[index - 1];
    if (before === undefined) continue;
    const end = after.indexOf(">") + 1;
    const tag = before.slice(before.lastIndexOf("<")) + after.slice(0, end);
    if (!/^<script[\s>]/.test(tag) || /\ssrc=/.test(tag)) continue;
    const script = after.slice(end, after.indexOf("</script>", end));
    sources.add(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  }
  return { html: parts.join(""), sources: [...sources] };
}
