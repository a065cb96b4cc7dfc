import type { LoaderFunctionArgs } from "@remix-run/node";
import { SAVED_AT_ONCE } from "~/catalogue/saved";
import { publishedCards } from "~/catalogue/video.server";

/** The cards of `?id=…&id=…`, as JSON, in the order asked; what is not published is left out. */
export async function loader({ request }: LoaderFunctionArgs) {
  const ids = new URL(request.url).searchParams.getAll("id").slice(0, SAVED_AT_ONCE);
  const videos = await publishedCards(ids);
  return Response.json({ videos }, { headers: { "Cache-Control": "no-store" } });
}
