import type { LoaderFunctionArgs } from "@remix-run/node";
import { rssFeed } from "~/catalogue/feeds/rss.server";
import { validatedAnswer } from "~/server/conditional-response.server";
import { siteIdentity } from "~/server/site-origin.server";

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const site = siteIdentity(request);
  return validatedAnswer(request, site.origin, "application/rss+xml; charset=utf-8", () =>
    rssFeed(site),
  );
}
