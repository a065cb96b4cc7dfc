/** Returns the route that answers a request target, as the table of permissions writes it. */
export type RouteNaming = (target: string) => string;

let naming: RouteNaming = () => "/*";

/** Sets how routes are named. The table of all routes belongs to `account`, which this room may not use. */
export function nameRoutes(routeOf: RouteNaming): void {
  naming = routeOf;
}

/** Returns whether a route, as `routeNameOf` returns it, belongs to the studio. */
export function isStudioRoute(route: string): boolean {
  return route === "/admin" || route.startsWith("/admin/");
}

/** Returns the route of a request target, such as `/video/:id`: never a part of what was asked for. */
export function routeNameOf(target: string | undefined): string {
  return naming(target ?? "/");
}
