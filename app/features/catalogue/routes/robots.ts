import type { LoaderFunctionArgs } from "@remix-run/node";
import { conditionalResponse } from "~/platform/conditional-response.server";
import { siteIdentity } from "~/platform/site-origin.server";

/** Allows crawlers to visit everything public, but not the pages for admins or the endpoints for scripts. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const { origin } = siteIdentity(request);
  const lines = [
    "User-agent: *",
    "Disallow: /admin",
    "Disallow: /auth",
    "Disallow: /events",
    "Disallow: /invite/",
    "Disallow: /preview/",
    "Disallow: /report",
    "Disallow: /search/",
    "Disallow: /video/*/view",
    "",
    `Sitemap: ${origin}/sitemap.xml`,
    "",
  ];
  return conditionalResponse(request, origin, "text/plain; charset=utf-8", () => lines.join("\n"));
}
