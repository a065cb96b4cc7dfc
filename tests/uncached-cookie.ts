import type { SiteCookie } from "~/platform/site-cookies";

const NAME: SiteCookie = "toast";

/** A cookie of the site whose value means nothing: a page that is requested with it doesn't come from the cache. */
export const UNCACHED_COOKIE = `${NAME}=x`;
