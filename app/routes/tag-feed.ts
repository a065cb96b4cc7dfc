import type { LoaderFunctionArgs } from "@remix-run/node";
import { tagFeed } from "~/catalogue/feeds/rss.server";
import { askedTag } from "~/catalogue/lists/asked-tag.server";
import { validatedAnswer } from "~/server/conditional-response.server";
import { siteIdentity } from "~/server/site-origin.server";

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const tag = askedTag(request, "/feed.xml");
  const site = siteIdentity(request);
  const feed = await tagFeed(site, tag);
  if (feed === undefined) return new Response("Not Found", { status: 404 });
  return validatedAnswer(request, site.origin, "application/rss+xml; charset=utf-8", () => feed);
}
