import { PERMISSIONS } from "~/account/permissions";

/** What no route answers: the address is somebody's invention, and is no name. */
const UNKNOWN_ROUTE = "/*";
/** The files of the build. */
const ASSETS = "/assets/*";

interface Pattern {
  label: string;
  matches: RegExp;
}

/** Every name that a label of a request can have: the addresses in the table of permissions, and files of the build. */
export const ROUTE_LABELS: readonly string[] = [
  ...Object.keys(PERMISSIONS).filter((line) => !line.includes(" ")),
  ASSETS,
];

/** By the first segment, which no route but the one for everything else leaves open. */
const patterns = new Map<string, Pattern[]>();
for (const label of ROUTE_LABELS) {
  if (label === UNKNOWN_ROUTE) continue;
  const [first = ""] = segmentsOf(label);
  // A named part before an open one: `/auth/code` before `/auth/:x`.
  const list = [...(patterns.get(first) ?? []), { label, matches: expressionOf(label) }];
  list.sort((a, b) => openParts(a.label) - openParts(b.label));
  patterns.set(first, list);
}

/** The route that answers an address, as it stands in the table of permissions: never a part of what was asked for. */
export function routeLabel(url: string): string {
  const path = decoded(url.replace(/[?#].*$/s, "")).toLowerCase();
  const own = path === "/_root.data" ? "/" : path.replace(/\.data$/, "").replace(/(.)\/+$/, "$1");
  const [first = ""] = segmentsOf(own);
  const found = patterns.get(first)?.find(({ matches }) => matches.test(own));
  return found?.label ?? UNKNOWN_ROUTE;
}

function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}

function openParts(label: string): number {
  return (label.match(/[:*]/g) ?? []).length + (label.endsWith("*") ? 10 : 0);
}

function expressionOf(label: string): RegExp {
  const parts = segmentsOf(label).map((part) => {
    if (part === "*") return "/.*";
    if (part.startsWith(":")) return part.endsWith("?") ? "(?:/[^/]+)?" : "/[^/]+";
    return `/${part.replace(/[.]/g, "\\.")}`;
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
