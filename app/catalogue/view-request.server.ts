import { isbot } from "isbot";

/**
 * Whether a request stands for someone who looks at the page: no prefetch or prerender, no known
 * crawler, and not from a page of another site. The user agent is looked at and forgotten.
 */
export function countsAsView(request: Request): boolean {
  const { headers } = request;
  const purpose = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"]
    .map((name) => headers.get(name) ?? "")
    .join(" ");
  if (/prefetch|prerender|preview/i.test(purpose)) return false;
  if (headers.get("Sec-Fetch-Site") === "cross-site") return false;
  // A browser without a window is no crawler, but isbot takes its name for one.
  return !isbot(headers.get("User-Agent")?.replace("HeadlessChrome", "Chrome"));
}
