import type { IncomingMessage } from "node:http";
import { onRequestStart } from "./request-context.server";
import { RTA_LABEL } from "./rta-label";

/**
 * How long the body of a request may take, uploads apart. Without an end, one byte every few seconds
 * would hold a connection and a request for hours: an idle timeout never sees it as idle.
 */
const BODY_DEADLINE_MS = 60_000;

const withoutDeadline = new WeakSet<IncomingMessage>();

/** For an upload, which takes as long as its bytes take; it has the idle timeout and its own rules. */
export function liftBodyDeadline(request: IncomingMessage): void {
  withoutDeadline.add(request);
}

/** Ends the connection of a body that has not arrived in time, from now on. */
export function limitBodyTime(deadlineMs = BODY_DEADLINE_MS): void {
  onRequestStart(({ request, response }) => {
    if (!hasBody(request)) return;
    const timer = setTimeout(() => {
      if (request.complete || withoutDeadline.has(request)) return;
      if (response.headersSent) request.socket.destroy();
      else refuse(request);
    }, deadlineMs).unref();
    request.once("close", () => clearTimeout(timer));
  });
}

/** RFC 9110 §15.5.9. To the socket, because a route may still be about to answer. */
function refuse({ socket }: IncomingMessage): void {
  const head = `HTTP/1.1 408 Request Timeout\r\nRating: ${RTA_LABEL}\r\nConnection: close`;
  socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
