import { replaceAccessLog } from "./access-log.server";
import { limitConnections, limitRequests, refuseManyHeaders } from "./connection-limits.server";
import { addMiddleware, type Middleware } from "./middleware.server";
import { replaceOriginCheck } from "./origin-header.server";
import { serveCachedPage } from "./page-cache.server";
import { deferUploadBodies, limitBodyTime } from "./request-body.server";
import { nameRoutes, type RouteNaming } from "./request-context.server";
import { refuseMalformedTarget, refuseUnknownMethod } from "./request-target.server";
import { narrowRouteMatching } from "./route-matching.server";
import { sendSecurityHeaders } from "./security-headers.server";
import { refuseDuringShutdown, shutDownOnSignals } from "./shutdown.server";
import { narrowStaticFiles } from "./static-files.server";

/**
 * All our changes to remix-serve and Node's server, in the order in which they take effect. They hook into Node's
 * diagnostics channel `http.server.request.start` (`request-context.server.ts`), which is the same in Node 20, 22 and
 * 24. The tests are in `tests/`.
 *
 * | File | Problem | Test |
 * | --- | --- | --- |
 * | `request-context` | remix-serve hides Node's request and response from routes | the tests of all other rows |
 * | `security-headers` | remix-serve sets no headers on the build's files and on errors | `unit/security-headers`, `integration/middleware` |
 * | `connection-limits` | the memory of connections isn't limited: one client can fill the heap | `integration/connection-limits` |
 * | `rendering-budget` | one client can keep the serving thread busy while every other page waits | `integration/rendering-budget` |
 * | `media-requests` | one network can use up the transfer volume, which isn't counted | `integration/media-requests` |
 * | `origin-header` | Remix's origin check ignores PUBLIC_URL and responds with an empty 500 | `integration/own-origin` |
 * | `access-log` | remix-serve logs URLs, which contain search queries | `integration/middleware` |
 * | `request-body` | slow bodies (slowloris) never time out without Node's request timeout | `integration/body-deadline` |
 * | `request-body` | Remix's wrapper triples the CPU usage of an upload | `integration/upload-connection` |
 * | `shutdown` | an open stream or timer keeps the process alive after SIGTERM | `integration/shutdown` |
 * | `middleware` | there is no hook before Express; Node's limit of 300 s aborts uploads | `integration/idle-timeout` |
 * | `request-target` | some targets, hosts and methods make Remix fail with 500 | `integration/middleware`, `integration/hostile-requests` |
 * | `page-cache` | the same public page is rendered for every visitor | `integration/page-cache` |
 * | `route-matching` | Remix ranks and compiles every route, five times per page | `unit/route-matching` |
 * | `static-files` | remix-serve looks for a file in two folders before every page | `unit/static-files` |
 * | `stream-body` | Remix's writer ignores back-pressure: a stalled client keeps a file in memory | `integration/downloads` |
 *
 * `stream-body` doesn't change anything globally: the media route uses it for its bodies.
 *
 * @param routeOf returns the route for a request target.
 * @param middleware further middleware, which runs last.
 * @param beforePages middleware that runs before any page is served, even from the cache.
 */
export function configureStockServer(
  routeOf: RouteNaming,
  middleware: readonly Middleware[],
  beforePages: readonly Middleware[] = [],
): void {
  sendSecurityHeaders();
  limitConnections();
  replaceOriginCheck();
  nameRoutes(routeOf);
  replaceAccessLog();
  limitBodyTime();
  deferUploadBodies();
  narrowRouteMatching();
  narrowStaticFiles();
  shutDownOnSignals();
  const first = [
    refuseDuringShutdown,
    refuseManyHeaders,
    refuseUnknownMethod,
    refuseMalformedTarget,
  ];
  const last = [serveCachedPage, ...middleware, limitRequests];
  for (const each of [...first, ...beforePages, ...last]) addMiddleware(each);
}
