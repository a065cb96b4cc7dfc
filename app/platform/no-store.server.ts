import type { HeadersFunction } from "@remix-run/node";

/** Of a page that nothing may store: what its action answered with, a cookie for instance, and `no-store`. */
export const noStoreHeaders: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  headers.set("Cache-Control", "no-store");
  return headers;
};

/** The same of a page whose address is a secret: search engines leave it out too. */
export const unlistedHeaders: HeadersFunction = (args) => {
  const headers = new Headers(noStoreHeaders(args));
  headers.set("X-Robots-Tag", "noindex");
  return headers;
};
