import { createHash, randomBytes } from "node:crypto";

/**
 * The policy of a page allows its inline scripts by their hashes, so that the page is the same for
 * everybody and can be cached as it stands. While it is rendered, our own scripts carry a mark that
 * nobody can guess, in the attribute `nonce`: a script that got into the page in another way has none,
 * so it is neither hashed nor run.
 */

export function newScriptMark(): string {
  return randomBytes(16).toString("hex");
}

/** The page without the marks, and the sources of its marked inline scripts (CSP 3 §2.3.1). */
export function hashScripts(html: string, mark: string): { html: string; sources: string[] } {
  const attribute = ` nonce="${mark}"`;
  const inline = new RegExp(
    `<script(?=[^>]*${attribute})(?![^>]*\\ssrc=)[^>]*>([\\s\\S]*?)</script>`,
    "g",
  );
  const sources = new Set<string>();
  for (const [, script = ""] of html.matchAll(inline)) {
    sources.add(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  }
  return { html: html.replaceAll(attribute, ""), sources: [...sources] };
}
