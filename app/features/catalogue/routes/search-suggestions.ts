import type { LoaderFunctionArgs } from "@remix-run/node";
import { clientAddress } from "~/platform/client-address.server";
import { toCategoryId } from "~/shared/categories";
import { suggestionLimit, suggestions } from "../search-suggestions.server";

/** Never cached, so that hidden videos disappear from the suggestions immediately. */
const HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/** Responds to `?q=` and `category` with `{ suggestions: Suggestion[] }`, or with 429 if the rate limit is exceeded. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const wait = suggestionLimit.consume(clientAddress(request));
  if (wait !== undefined) {
    const headers = { ...HEADERS, "Retry-After": String(wait) };
    return Response.json({ suggestions: [] }, { status: 429, headers });
  }
  const { searchParams } = new URL(request.url);
  const found = await suggestions(
    searchParams.get("q") ?? "",
    toCategoryId(searchParams.get("category")),
  );
  return Response.json({ suggestions: found }, { headers: HEADERS });
}
