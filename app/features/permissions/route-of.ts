import { PERMISSIONS } from "./permissions";

/** What no route answers: the address is somebody's invention, and is no name. */
const UNKNOWN_ROUTE = "/*";
/** The files of the build, which are no route of the framework's. */
const ASSETS = "/assets/*";

interface Pattern {
  route: string;
  matches: RegExp;
}

/** Every route as the table of permissions writes it, and the files of the build. */
export const ROUTES: readonly string[] = [
  ...Object.keys(PERMISSIONS).filter((line) => !line.includes(" ")),
  ASSETS,
];

/** By the first segment, which no route but the one for everything else leaves open. */
const patterns = new Map<string, Pattern[]>();
for (const route of ROUTES) {
  if (route === UNKNOWN_ROUTE || route === ASSETS) continue;
  const [first = ""] = segmentsOf(route);
  // A named part before an open one: `/auth/code` before `/auth/:x`.
  const list = [...(patterns.get(first) ?? []), { route, matches: expressionOf(route) }];
  list.sort((a, b) => openParts(a.route) - openParts(b.route));
  patterns.set(first, list);
}

/**
 * Returns the route that the framework answers a request target with: never a part of what was asked for. All
 * rules for requests go by it, because patterns of their own would miss other ways to write the same address. It
 * finds what the framework's own matching finds, which sorts all routes and compiles an expression at each call.
 */
export function routeOf(url: string): string {
  if (url.startsWith("/assets/")) return ASSETS;
  // The framework asks for the data of a page at its path with `.data`, and for those of / at /_root.data.
  const page = url.replace(/[?#].*$/s, "").replace(/(?:^\/_root)?\.data$/, "") || "/";
  const own = decoded(page)
    .toLowerCase()
    .replace(/(.)\/+$/, "$1");
  const [first = ""] = segmentsOf(own);
  const found = patterns.get(first)?.find(({ matches }) => matches.test(own));
  return found?.route ?? UNKNOWN_ROUTE;
}

function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}

function openParts(route: string): number {
  return (route.match(/[:*]/g) ?? []).length + (route.endsWith("*") ? 10 : 0);
}

function expressionOf(route: string): RegExp {
  const parts = segmentsOf(route).map((part) => {
    if (part === "*") return "(?:/.*)?";
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
