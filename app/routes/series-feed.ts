import type { LoaderFunctionArgs } from "@remix-run/node";
import { seriesFeed } from "~/catalogue/feeds/rss.server";
import { askedSeries, seriesNotFound } from "~/catalogue/series/asked-series.server";
import { validatedAnswer } from "~/server/conditional-response.server";
import { siteIdentity } from "~/server/site-origin.server";

export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const series = askedSeries(request, params.slug ?? "", "/feed.xml");
  const site = siteIdentity(request);
  const feed = series.isPublic ? await seriesFeed(site, series) : undefined;
  if (feed === undefined) throw seriesNotFound();
  return validatedAnswer(request, site.origin, "application/rss+xml; charset=utf-8", () => feed);
}
