import { PERMISSIONS } from "./permissions";

/** The name used for all URLs without a route. Such URLs can contain anything, so they are never used as names. */
const UNKNOWN_ROUTE = "/*";
/** The build's files, which don't belong to any of the framework's routes. */
const ASSETS = "/assets/*";

interface Pattern {
  route: string;
  matches: RegExp;
}

/** Every route, as written in the permissions table, and the build's files. */
export const ROUTES: readonly string[] = [
  ...Object.keys(PERMISSIONS).filter((line) => !line.includes(" ")),
  ASSETS,
];

/** The patterns by first path segment. Only the catch-all route has a dynamic first segment. */
const patterns = new Map<string, Pattern[]>();
for (const route of ROUTES) {
  if (route === UNKNOWN_ROUTE || route === ASSETS) continue;
  const [first = ""] = segmentsOf(route);
  // Patterns with static segments come before those with dynamic ones: `/auth/code` before `/auth/:x`.
  const list = [...(patterns.get(first) ?? []), { route, matches: expressionOf(route) }];
  list.sort((a, b) => dynamicParts(a.route) - dynamicParts(b.route));
  patterns.set(first, list);
}

/**
 * Returns the framework's route for a request target, never a part of the requested URL. All rules about requests use
 * this function, because separate patterns would miss other spellings of the same URL. The framework's own function
 * would return the same result, but it sorts all routes and compiles a regular expression on each call.
 */
export function routeOf(url: string): string {
  if (url.startsWith("/assets/")) return ASSETS;
  // The framework requests a page's data at the page's path with `.data` appended, and the data for / at /_root.data.
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

function dynamicParts(route: string): number {
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
