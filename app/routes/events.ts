import type { LoaderFunctionArgs } from "@remix-run/node";
import { allows } from "~/account/permissions";
import { findSession, isUnchanged } from "~/account/session.server";
import { openEventStream } from "~/live/event-stream.server";
import { clientAddress } from "~/server/client-address.server";
import { requestContext } from "~/server/node/request-context.server";

/** Server-sent events: what open lists listen to. `?jobs` also notifies signed-in users of conversions. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  // Remix would read the whole stream before it answered a request for `/events.data`.
  const sent = requestContext()?.request.url;
  if (sent && !/^\/events(\?|$)/.test(sent)) throw new Response(null, { status: 404 });
  const lastEventId = request.headers.get("Last-Event-ID");
  const wantsJobs = new URL(request.url).searchParams.has("jobs");
  const session = wantsJobs ? await findSession(request) : undefined;
  const maySeeJobs = session !== undefined && allows(session.user, "/events jobs");
  return openEventStream({
    ...(maySeeJobs && { topics: ["jobs"], isOpen: () => isUnchanged(session) }),
    lastEventId,
    address: clientAddress(request),
  });
}
