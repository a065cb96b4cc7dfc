import type { MetaFunction } from "@remix-run/node";
import type { MetaDescriptor } from "@remix-run/react";
import type { SiteIdentity } from "~/platform/site-origin.server";
import { SHARE_IMAGE } from "./structured-data";

/** The length at which search engines truncate a description. */
export const DESCRIPTION_LENGTH = 160;

interface Described {
  /** The title without the site's name. */
  title: string;
  description: string;
  /** The canonical path, including a query if needed. */
  path: string;
  /** The image's path on this site. */
  image?: string | null;
  noindex?: boolean;
  /** og:type */
  type?: string;
  structured?: readonly Record<string, unknown>[];
}

/** Returns the meta tags for a page. Titles end with the site's name; image URLs are absolute. */
export function pageMeta(site: SiteIdentity, page: Described): MetaDescriptor[] {
  const title = documentTitle(page.title, site.name);
  const description = shortened(page.description, DESCRIPTION_LENGTH);
  const address = site.origin + page.path;
  const image = site.origin + (page.image ?? SHARE_IMAGE);
  return [
    { title },
    { name: "description", content: description },
    ...(page.noindex ? [{ name: "robots", content: "noindex" }] : []),
    { tagName: "link", rel: "canonical", href: address },
    { property: "og:site_name", content: site.name },
    { property: "og:type", content: page.type ?? "website" },
    { property: "og:title", content: page.title },
    { property: "og:description", content: description },
    { property: "og:url", content: address },
    { property: "og:image", content: image },
    { name: "twitter:card", content: "summary_large_image" },
    { name: "twitter:title", content: page.title },
    { name: "twitter:description", content: description },
    { name: "twitter:image", content: image },
    ...(page.structured ?? []).map((json) => ({ "script:ld+json": json })),
  ] as MetaDescriptor[];
}

/** Returns the text on one line, shortened to at most `length` characters and cut between words if possible. */
export function shortened(text: string, length: number): string {
  const line = [...text.replace(/\s+/g, " ").trim()];
  if (line.length <= length) return line.join("");
  const cut = line.slice(0, length - 1).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > length / 2 ? cut.slice(0, space) : cut}…`;
}

/** Used when the root route's loader has failed or hasn't responded yet. */
export const DEFAULT_SITE_NAME = "Afterdark";

/** Returns the document title, which ends with the site's name on every page. */
export function documentTitle(title: string, siteName: string): string {
  return `${title} | ${siteName}`;
}

/** Returns the `meta` function for a page that search engines must not list, such as a page of the studio. */
export function privateMeta(title: string, more: ReturnType<MetaFunction> = []): MetaFunction {
  return ({ matches }) => [
    { title: documentTitle(title, siteNameOf(matches)) },
    { name: "robots", content: "noindex" },
    ...more,
  ];
}

/** Reads the site's name from the root route's data, so that the pages' loaders don't have to repeat it. */
function siteNameOf(matches: readonly { id: string; data: unknown }[]): string {
  const root = matches.find(({ id }) => id === "root")?.data as { siteName?: string } | undefined;
  return root?.siteName ?? DEFAULT_SITE_NAME;
}
