import type { SiteCookie } from "~/platform/site-cookies";

const NAME: SiteCookie = "toast";

/** One of the site's cookies with a meaningless value. Pages requested with it don't come from the cache. */
export const UNCACHED_COOKIE = `${NAME}=x`;
