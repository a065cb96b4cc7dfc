import type { ActionFunctionArgs } from "@remix-run/node";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readFields } from "~/platform/small-form.server";
import { SAVED_AT_ONCE } from "~/shared/pages";
import { publishedCards } from "../video.server";

/**
 * Returns the cards for `id=…&id=…` as JSON, in the same order, without unpublished videos. Uses POST so that the ids
 * of a visitor's saved or watched videos never appear in a URL, and therefore never in a proxy's log.
 */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  if (request.method !== "POST") return methodNotAllowed();
  const ids = (await readFields(request)).getAll("id").map(String).slice(0, SAVED_AT_ONCE);
  const videos = await publishedCards(ids);
  return Response.json({ videos }, { headers: { "Cache-Control": "no-store" } });
}

export const loader = methodNotAllowed;

function methodNotAllowed(): Response {
  return new Response(null, { status: 405, headers: { Allow: "POST" } });
}
