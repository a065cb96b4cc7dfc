import { createHash, randomUUID } from "node:crypto";

/**
 * The policy of a page allows its inline scripts by their hashes, so that the page is the same for
 * everybody and can be cached as it stands. While it is rendered, our own scripts carry a mark that
 * nobody can guess, in the attribute `nonce`: a script that got into the page in another way has none,
 * so it is neither hashed nor run.
 */

export function newScriptMark(): string {
  return randomUUID();
}

/** The page without the marks, and the sources of its marked inline scripts (CSP 3 §2.3.1). */
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
