import type { LoaderFunctionArgs } from "@remix-run/node";
import { conditionalResponse } from "~/platform/conditional-response.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { rssFeed } from "../feeds.server";

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const site = siteIdentity(request);
  return conditionalResponse(request, site.origin, "application/rss+xml; charset=utf-8", () =>
    rssFeed(site),
  );
}
