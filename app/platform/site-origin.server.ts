import { settings } from "./settings.server";

/** What a page needs to name itself: its brand, and the origin of absolute addresses. */
export interface SiteIdentity {
  name: string;
  /** Scheme and host, without a trailing slash. */
  origin: string;
}

/** The origin that visitors use: PUBLIC_URL, or what the request was sent to. */
export function siteOrigin(request: Request): string {
  return settings().publicUrl ?? new URL(request.url).origin;
}

export function siteIdentity(request: Request): SiteIdentity {
  return { name: settings().siteName, origin: siteOrigin(request) };
}
