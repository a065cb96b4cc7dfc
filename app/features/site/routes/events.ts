import type { LoaderFunctionArgs } from "@remix-run/node";

/**
 * Only responds to HEAD requests, because `answerEvents` serves the server-sent events before this route is reached.
 */
export function loader({ request }: LoaderFunctionArgs): Response {
  if (request.method === "HEAD") return new Response(null);
  // Remix would buffer the whole stream before responding to a request for `/events.data`.
  throw new Response(null, { status: 404 });
}
