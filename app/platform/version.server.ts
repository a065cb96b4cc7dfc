import { version } from "../../package.json";

/**
 * The version of the site, as `npm version` sets it. It is part of the build, because `package.json` may be newer than
 * the build that runs.
 */
export const SITE_VERSION: string = version;
