import type { IncomingMessage, ServerResponse } from "node:http";
import { processState } from "~db/runtime.server";
import { limitedNetworkOf } from "../client-address.server";
import { counts } from "../counts.server";
import { settings } from "../settings.server";
import { acquireSlot, refuseRequest } from "./connection-limits.server";
import { type Middleware, whenClosed } from "./middleware.server";
import { routeNameOf } from "./request-context.server";

/** Limits the number of requests for media files that each network may have in progress, and counts the bytes sent. */

const MEDIA_ROUTES: readonly string[] = ["/media/*", "/preview/:token/media/*"];
const TOO_MANY = "Too many files are being sent to your network. Try again in a moment.";
/** The statuses of responses without a body, regardless of their Content-Length (RFC 9110 §6.4.1). */
const WITHOUT_BODY = [204, 304];

/** The number of requests in progress for each network, kept only in memory. */
const inProgress = processState("media requests", () => new Map<string, number>());

/**
 * Returns the middleware that counts the bytes of files, and responds with 429 to a network that already has
 * MAX_PARALLEL_MEDIA requests for files in progress.
 *
 * @param isSignedIn returns whether a request comes from a signed-in user, who is exempt from the limit.
 */
export function limitMedia(isSignedIn: (request: IncomingMessage) => boolean): Middleware {
  return (request, response) => {
    if (!MEDIA_ROUTES.includes(routeNameOf(request.url))) return false;
    const network = isSignedIn(request) ? undefined : limitedNetworkOf(request);
    const release = network && acquireSlot(inProgress(), network, settings().maxParallelMedia);
    if (network && !release) return refuseRequest(response, 429, TOO_MANY);
    const { socket } = request;
    const before = socket.bytesWritten;
    whenClosed(request, response, () => {
      if (release) release();
      counts().mediaBytes += bytesSent(request, response, socket.bytesWritten - before);
    });
    return false;
  };
}

/** Counts a file that a proxy sends instead of the site (X-Accel-Redirect). */
export function countDelegatedBytes(bytes: number): void {
  counts().mediaBytes += bytes;
}

/**
 * Returns the number of body bytes that were written to the connection. If the client disconnected early, the number
 * may include up to a few hundred KB that were never sent.
 *
 * @param written bytes written to the connection since the request began, including headers.
 */
function bytesSent(request: IncomingMessage, response: ServerResponse, written: number): number {
  if (request.method === "HEAD" || WITHOUT_BODY.includes(response.statusCode)) return 0;
  const length = Number(response.getHeader("Content-Length") ?? 0);
  return response.writableFinished ? length : Math.min(length, written);
}
