import { redirect } from "@remix-run/node";
import { seriesPath } from "~/shared/series/series-path";
import { type FoundSeries, findSeries, isShown } from "./public-series.server";

/**
 * The series that an address below /series asks for.
 *
 * @param maySee whether this visitor may know of a series that isn't shown to the public.
 * @param pathAfter what follows the slug in its canonical address.
 * @throws a 404 for an unknown series, and for one that the visitor may not see, whatever its spelling; a permanent redirect for another spelling, a temporary one for a former slug, which may become
 *   the present one again.
 */
export async function askedSeries(
  request: Request,
  asked: string,
  maySee: () => Promise<boolean>,
  pathAfter = "",
): Promise<FoundSeries> {
  const slug = asked.toLowerCase().normalize("NFC");
  const series = findSeries(slug);
  if (!series || !(isShown(series) || (await maySee()))) throw seriesNotFound();
  const { pathname, search } = new URL(request.url);
  const canonical = seriesPath(series.slug) + pathAfter + search;
  if (slug !== series.slug) throw redirect(canonical, 302);
  if (asked !== slug || pathname.endsWith("/")) throw redirect(canonical, 301);
  return series;
}

export function seriesNotFound(): Response {
  return new Response(null, { status: 404, statusText: "Not Found" });
}
