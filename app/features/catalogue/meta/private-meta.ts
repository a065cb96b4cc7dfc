import type { MetaDescriptor, MetaFunction } from "@remix-run/node";

/** Until the root's loader has answered, and where it fails. */
export const DEFAULT_SITE_NAME = "Afterdark";

/** Returns the title of a document, which ends with the site's name on every page. */
export function documentTitle(title: string, siteName: string): string {
  return `${title} | ${siteName}`;
}

/** Returns the `meta` of a page that search engines must not list, such as those of the studio. */
export function privateMeta(title: string, more: readonly MetaDescriptor[] = []): MetaFunction {
  return ({ matches }) => [
    { title: documentTitle(title, siteNameOf(matches)) },
    { name: "robots", content: "noindex" },
    ...more,
  ];
}

/** Reads the site's name from the root's data, so that each page's loader need not repeat it. */
function siteNameOf(matches: readonly { id: string; data: unknown }[]): string {
  const root = matches.find(({ id }) => id === "root")?.data as { siteName?: string } | undefined;
  return root?.siteName ?? DEFAULT_SITE_NAME;
}
