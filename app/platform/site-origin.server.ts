import { settings } from "./settings.server";

/** The site's name and the origin of its absolute URLs. */
export interface SiteIdentity {
  name: string;
  /** The scheme and host, without a trailing slash. */
  origin: string;
}

/** Returns the origin that visitors use: PUBLIC_URL, or the request's origin. */
export function siteOrigin(request: Request): string {
  return settings().publicUrl ?? new URL(request.url).origin;
}

export function siteIdentity(request: Request): SiteIdentity {
  return { name: settings().siteName, origin: siteOrigin(request) };
}
