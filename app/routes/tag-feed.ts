import type { LoaderFunctionArgs } from "@remix-run/node";
import { tagFeed } from "~/catalogue/feeds/rss.server";
import { askedTag } from "~/catalogue/lists/asked-tag.server";
import { validatedAnswer } from "~/server/conditional-response.server";
import { siteIdentity } from "~/server/site-origin.server";

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const tag = askedTag(request, "/feed.xml");
  const site = siteIdentity(request);
  return validatedAnswer(request, site.origin, "application/rss+xml; charset=utf-8", () =>
    tagFeed(site, tag),
  );
}
