import type { LoaderFunctionArgs } from "@remix-run/node";
import { conditionalResponse } from "~/platform/conditional-response.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { seriesFeed } from "../feeds.server";
import { requestedSeries } from "../series.server";

export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const maySee = () => Promise.resolve(false);
  const series = await requestedSeries(request, params.slug ?? "", maySee, "/feed.xml");
  const site = siteIdentity(request);
  return conditionalResponse(request, site.origin, "application/rss+xml; charset=utf-8", () =>
    seriesFeed(site, series),
  );
}
