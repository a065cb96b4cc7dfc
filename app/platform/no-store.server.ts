import type { HeadersFunction } from "@remix-run/node";

/** Returns the headers of a page that must not be cached: those of its action, such as a cookie, and `no-store`. */
export const noStoreHeaders: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  headers.set("Cache-Control", "no-store");
  return headers;
};

/** Returns the headers of a page with a secret URL: not cached either, and excluded from search engines. */
export const unlistedHeaders: HeadersFunction = (args) => {
  const headers = new Headers(noStoreHeaders(args));
  headers.set("X-Robots-Tag", "noindex");
  return headers;
};
