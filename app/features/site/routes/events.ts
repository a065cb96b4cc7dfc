import type { LoaderFunctionArgs } from "@remix-run/node";
import { jobEventsAccess } from "~/features/accounts/job-events-access.server";
import { clientAddress } from "~/platform/client-address.server";
import { openEventStream } from "~/platform/live/event-stream.server";
import { requestContext } from "~/platform/node/request-context.server";

/**
 * Server-sent events: what open lists listen to. `?jobs` also notifies signed-in users of conversions. The server
 * opens streams before this route (`answerEvents`), which answers HEAD and, without a server, tests.
 */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  if (request.method === "HEAD") return new Response(null);
  // Remix would read the whole stream before it answered a request for `/events.data`.
  if (requestContext()) throw new Response(null, { status: 404 });
  const wantsJobs = new URL(request.url).searchParams.has("jobs");
  const isOpen = wantsJobs ? jobEventsAccess(request.headers.get("Cookie") ?? "") : undefined;
  return openEventStream({
    ...(isOpen && { topics: ["jobs"], isOpen }),
    lastEventId: request.headers.get("Last-Event-ID"),
    address: clientAddress(request),
  });
}
