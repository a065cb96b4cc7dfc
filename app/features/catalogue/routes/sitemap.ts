import { Readable } from "node:stream";
import { createReadableStreamFromReadable, type LoaderFunctionArgs } from "@remix-run/node";
import { conditionalResponse } from "~/platform/conditional-response.server";
import { siteIdentity } from "~/platform/site-origin.server";
import {
  MAX_SITEMAP,
  pagesSitemap,
  seriesSitemap,
  sitemapIndex,
  tagsSitemap,
  videoSitemap,
} from "../feeds.server";
import { publishedTotal } from "../published-list.server";

const XML = "application/xml; charset=utf-8";

/** Serves the index `/sitemap.xml` and its parts `/sitemap/{pages, tags, series or number}.xml`. */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const site = siteIdentity(request);
  const answer = (body: () => BodyInit | Promise<BodyInit>) =>
    conditionalResponse(request, site.origin, XML, body);
  if (params.part === undefined) return answer(() => sitemapIndex(site));
  if (params.part === "pages.xml") return answer(() => pagesSitemap(site));
  if (params.part === "tags.xml") return answer(() => tagsSitemap(site));
  if (params.part === "series.xml") return answer(() => seriesSitemap(site));
  const part = Number(/^([1-9]\d{0,5})\.xml$/.exec(params.part)?.[1]);
  if (!((part - 1) * MAX_SITEMAP < (await publishedTotal()).videos)) {
    return new Response("Not Found", { status: 404 });
  }
  return answer(() => createReadableStreamFromReadable(Readable.from(videoSitemap(site, part))));
}
