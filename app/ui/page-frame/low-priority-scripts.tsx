import { Scripts } from "@remix-run/react";
import { cloneElement, isValidElement, type ReactElement, type ReactNode } from "react";

/**
 * The framework's scripts, preloaded behind what is seen first. It preloads them at the priority of
 * pictures and faces, and on a slow line a hundred kilobytes of script then hold back the first
 * paint of a page that is complete without them.
 */
export function LowPriorityScripts({ nonce }: { nonce: string | undefined }) {
  // Called and not rendered, because its elements take no properties from outside.
  const scripts = Scripts({ nonce }) as ReactElement<{ children: ReactNode[] }> | null;
  return scripts && cloneElement(scripts, undefined, ...scripts.props.children.map(quiet));
}

function quiet(node: ReactNode): ReactNode {
  if (Array.isArray(node)) return node.map(quiet);
  if (!isValidElement(node) || node.type !== "link") return node;
  return cloneElement(node as ReactElement, { fetchpriority: "low" });
}
