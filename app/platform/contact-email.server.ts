import { settings } from "./settings.server";
import { siteOrigin } from "./site-origin.server";

/** Returns the contact address: CONTACT_EMAIL, or `contact@` plus the site's host. */
export function contactEmail(request: Request): string {
  return settings().contactEmail ?? `contact@${new URL(siteOrigin(request)).hostname}`;
}
