import { version } from "../../package.json";

/** The site's version. It is part of the build, because `package.json` may be newer than the running build. */
export const SITE_VERSION: string = version;
