/** The title of a page: its parts, the page number from 2 on, the site's name. */
export function pageTitle(
  siteName: string,
  parts: (string | undefined | false)[],
  page = 1,
): string {
  return [...parts, page > 1 && `Page ${page}`, siteName].filter(Boolean).join(" – ");
}
