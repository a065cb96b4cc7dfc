import type { LoaderFunctionArgs } from "@remix-run/node";
import { publishedCards } from "~/catalogue/video.server";
import { SAVED_AT_ONCE } from "~/shared/pages";

/** The cards of `?id=…&id=…`, as JSON, in the order asked; what is not published is left out. */
export async function loader({ request }: LoaderFunctionArgs) {
  const ids = new URL(request.url).searchParams.getAll("id").slice(0, SAVED_AT_ONCE);
  const videos = await publishedCards(ids);
  return Response.json({ videos }, { headers: { "Cache-Control": "no-store" } });
}
