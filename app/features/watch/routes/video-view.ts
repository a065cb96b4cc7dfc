import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { countsAsView, countView } from "~/features/catalogue/views.server";
import { clientAddress } from "~/platform/client-address.server";
import { requireOwnOrigin } from "~/platform/origin.server";

/** An image with a single transparent pixel. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const NEVER_KEPT = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/**
 * Counts a view. The page's script sends one request per page load. Responds with 204, or with 404 if there is no
 * published video with this id.
 */
export async function action({ request, params }: ActionFunctionArgs): Promise<Response> {
  requireOwnOrigin(request);
  if (request.method !== "POST") {
    return new Response(null, { status: 405, headers: { Allow: "GET, HEAD, POST" } });
  }
  const found = !countsAsView(request) || countView(params.id ?? "", clientAddress(request));
  return new Response(null, { status: found ? 204 : 404, headers: NEVER_KEPT });
}

/**
 * Counts a view when JavaScript isn't available, using the image inside the page's noscript element. Always responds
 * with an image.
 */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const shown = ["image", null].includes(request.headers.get("Sec-Fetch-Dest"));
  if (request.method === "GET" && shown && countsAsView(request)) {
    countView(params.id ?? "", clientAddress(request));
  }
  return new Response(PIXEL, { headers: { ...NEVER_KEPT, "Content-Type": "image/gif" } });
}
