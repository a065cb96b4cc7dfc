import type { LoaderFunctionArgs } from "@remix-run/node";

/** Server-sent events. `answerEvents` handles them before this route, which only responds to HEAD. */
export function loader({ request }: LoaderFunctionArgs): Response {
  if (request.method === "HEAD") return new Response(null);
  // Remix would buffer the whole stream before responding to a request for `/events.data`.
  throw new Response(null, { status: 404 });
}
