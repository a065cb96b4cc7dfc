import type { LoaderFunctionArgs } from "@remix-run/node";

/**
 * Responds only to HEAD requests, because `answerEvents` handles requests for server-sent events before they reach this
 * route.
 */
export function loader({ request }: LoaderFunctionArgs): Response {
  if (request.method === "HEAD") return new Response(null);
  // Remix would buffer the whole stream before responding to a request for `/events.data`.
  throw new Response(null, { status: 404 });
}
