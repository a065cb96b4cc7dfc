import { replaceAccessLog } from "./access-log.server";
import { limitConnections, limitRequests, refuseManyHeaders } from "./connection-limits.server";
import { addMiddleware, type Middleware } from "./middleware.server";
import { replaceOriginCheck } from "./origin-header.server";
import { answerCachedPage } from "./page-cache.server";
import { deferUploadBodies, limitBodyTime } from "./request-body.server";
import { nameRoutes, type RouteNaming } from "./request-context.server";
import { refuseMalformedTarget, refuseUnknownMethod } from "./request-target.server";
import { narrowRouteMatching } from "./route-matching.server";
import { sendSecurityHeaders } from "./security-headers.server";
import { refuseWhenLeaving, shutDownAtSignals } from "./shutdown.server";

/**
 * All that is changed about remix-serve and Node's server, in the order in which it takes effect. The
 * changes begin at Node's diagnostics channel `http.server.request.start` (`request-context.server.ts`),
 * which is the same on Node 20, 22 and 24; proofs are files of `tests/`.
 *
 * | File | Mends | Proof |
 * | --- | --- | --- |
 * | `request-context` | remix-serve hides Node's request and response from routes | every other line |
 * | `security-headers` | headers on every answer, the build's files and errors included | `unit/security-headers`, `integration/middleware` |
 * | `connection-limits` | nothing limits what connections hold: one client fills the heap | `integration/connection-limits` |
 * | `rendering-budget` | one client can keep the serving thread busy, and every other page waits | `integration/rendering-budget` |
 * | `media-requests` | one network can take all of the transfer, which nobody counts | `integration/media-requests` |
 * | `origin-header` | the framework's origin check knows no PUBLIC_URL and answers an empty 500 | `integration/own-origin` |
 * | `access-log` | its log writes addresses, which hold what visitors searched for | `integration/middleware` |
 * | `request-body` | a body may drip for ever once Node's request timeout is lifted | `integration/body-deadline` |
 * | `request-body` | the framework's wrapper costs three times the processor of an upload | `integration/upload-connection` |
 * | `shutdown` | an open stream or timer keeps the process alive after SIGTERM | `integration/shutdown` |
 * | `middleware` | no hook before Express; Node's limit of 300 s cuts uploads off | `integration/idle-timeout` |
 * | `request-target` | targets, hosts and methods that make the framework fail with 500 | `integration/middleware`, `integration/hostile-requests` |
 * | `page-cache` | rendering the same anonymous page again and again | `integration/page-cache` |
 * | `route-matching` | the framework ranks and compiles every route, five times a page | `unit/route-matching` |
 * | `stream-body` | its writer ignores back-pressure: a client that stalls holds a file in memory | `integration/downloads` |
 *
 * `stream-body` changes nothing by itself: the media route makes its bodies with it.
 *
 * @param routeOf names the route of a request target.
 * @param middleware of other parts of the site, asked last.
 * @param beforePages asked before any page is answered, also from the cache.
 */
export function changeStockServer(
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
  shutDownAtSignals();
  const first = [refuseWhenLeaving, refuseManyHeaders, refuseUnknownMethod, refuseMalformedTarget];
  const last = [answerCachedPage, ...middleware, limitRequests];
  for (const each of [...first, ...beforePages, ...last]) addMiddleware(each);
}
