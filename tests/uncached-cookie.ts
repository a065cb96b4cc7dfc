import type { SiteCookie } from "~/platform/site-cookies";

const NAME: SiteCookie = "toast";

/**
 * One of the site's cookies with a meaningless value. Pages requested with this cookie aren't served from the cache.
 */
export const UNCACHED_COOKIE = `${NAME}=x`;
