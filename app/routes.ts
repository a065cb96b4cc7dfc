import { index, type RouteConfig } from "@remix-run/route-config";

/** Every address of the site. Pages first, then what answers without a page. */
export default [index("routes/home.tsx")] satisfies RouteConfig;
