import type { HeadersFunction } from "@remix-run/node";

/**
 * Returns the headers for a page that must not be cached: the headers from its action, such as a cookie, and
 * `no-store`.
 */
export const noStoreHeaders: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  headers.set("Cache-Control", "no-store");
  return headers;
};

/** Returns the headers for a page with a secret URL, which keep it out of caches and search engines. */
export const unlistedHeaders: HeadersFunction = (args) => {
  const headers = new Headers(noStoreHeaders(args));
  headers.set("X-Robots-Tag", "noindex");
  return headers;
};
