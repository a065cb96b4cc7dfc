import { version } from "../../package.json";

/** The version of the site, as `npm version` sets it; it is part of the build. */
export const SITE_VERSION: string = version;
