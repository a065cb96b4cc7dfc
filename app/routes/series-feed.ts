import type { LoaderFunctionArgs } from "@remix-run/node";
import { seriesFeed } from "~/catalogue/feeds/rss.server";
import { askedSeries } from "~/catalogue/series/asked-series.server";
import { validatedAnswer } from "~/server/conditional-response.server";
import { siteIdentity } from "~/server/site-origin.server";

export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const maySee = () => Promise.resolve(false);
  const series = await askedSeries(request, params.slug ?? "", maySee, "/feed.xml");
  const site = siteIdentity(request);
  return validatedAnswer(request, site.origin, "application/rss+xml; charset=utf-8", () =>
    seriesFeed(site, series),
  );
}
