import { Scripts } from "@remix-run/react";
import { cloneElement, Fragment, isValidElement, type ReactElement, type ReactNode } from "react";

/**
 * The framework's scripts, asked for once the page has been painted, which is complete without them: on a slow
 * line, and on a slow processor, a hundred kilobytes of script hold back what is seen first. A page that nobody
 * sees asks for them at once, as does one that has not been painted after three seconds.
 *
 * Behind them comes the script that plays streams, which a link of the page names as `data-stream-module`: it is
 * as long as all of them. An iPhone, which has no media source for scripts, does not need it.
 */
export function ScriptsAfterPaint({ nonce }: { nonce: string | undefined }) {
  // Called and not rendered, because its elements take no properties from outside.
  const scripts = Scripts({ nonce }) as ReactElement | null;
  const preloads: string[] = [];
  return scripts && afterPaint(scripts, preloads);
}

/** @param preloads filled with the modules that the framework asks for first, which stand before its script. */
function afterPaint(node: ReactNode, preloads: string[]): ReactNode {
  if (Array.isArray(node)) return node.map((each) => afterPaint(each, preloads));
  if (!isValidElement<Properties>(node)) return node;
  const { rel, href, type, children, dangerouslySetInnerHTML: source } = node.props;
  if (rel === "modulepreload") {
    preloads.push(href ?? "");
    return null;
  }
  if (type === "module" && source) {
    // The browser has it from the server, and this file without what writes it.
    const __html = import.meta.env.SSR ? importAfterPaint(source.__html, preloads) : "";
    return cloneElement(node, { type: undefined, dangerouslySetInnerHTML: { __html } });
  }
  if (node.type !== Fragment) return node;
  return cloneElement(
    node,
    undefined,
    ...[children].flat().map((each) => afterPaint(each, preloads)),
  );
}

interface Properties {
  rel?: string;
  href?: string;
  type?: string;
  children?: ReactNode;
  dangerouslySetInnerHTML?: { __html: string };
}

/**
 * A script that does the same as a module, later.
 *
 * @param module may import modules for what they do and as a whole.
 */
export function importAfterPaint(module: string, preloads: readonly string[]): string {
  const late = module
    .replace(/import \* as (\w+) from ("[^"]+")/g, "const $1 = await import($2)")
    .replace(/import ("[^"]+")/g, "await import($1)");
  return `((load) => {
  let loads;
  const once = () => { loads ??= load(); };
  setTimeout(once, document.hidden ? 0 : 3000);
  new PerformanceObserver(once).observe({ type: "paint", buffered: true });
})(async () => {
  const stream = "MediaSource" in window && document.querySelector("[data-stream-module]");
  for (const href of [...${JSON.stringify(preloads)}, ...(stream ? [stream.dataset.streamModule] : [])])
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", fetchPriority: "low", href }));
  ${late}
})`;
}
