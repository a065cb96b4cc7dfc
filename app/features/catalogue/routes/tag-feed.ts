import type { LoaderFunctionArgs } from "@remix-run/node";
import { conditionalResponse } from "~/platform/conditional-response.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { tagFeed } from "../feeds.server";
import { requestedTag } from "../tags.server";

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const tag = await requestedTag(request, "/feed.xml");
  const site = siteIdentity(request);
  return conditionalResponse(request, site.origin, "application/rss+xml; charset=utf-8", () =>
    tagFeed(site, tag),
  );
}
