import { settings } from "./settings.server";

/** Where people write to: the operator's setting, else `contact@` the host that they see. */
export function contactEmail(request: Request): string {
  const { contactEmail, publicUrl } = settings();
  return contactEmail ?? `contact@${new URL(publicUrl ?? request.url).hostname}`;
}
