import { settings } from "./settings.server";
import { siteOrigin } from "./site-origin.server";

/** Where people write to: the operator's setting, else `contact@` the host that they see. */
export function contactEmail(request: Request): string {
  return settings().contactEmail ?? `contact@${new URL(siteOrigin(request)).hostname}`;
}
