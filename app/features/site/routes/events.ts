import type { LoaderFunctionArgs } from "@remix-run/node";

/** Server-sent events, which `serveEvents` sends before this route: it answers HEAD alone. */
export function loader({ request }: LoaderFunctionArgs): Response {
  if (request.method === "HEAD") return new Response(null);
  // Remix would read the whole stream before it answered a request for `/events.data`.
  throw new Response(null, { status: 404 });
}
