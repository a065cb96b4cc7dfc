import { redirect } from "@remix-run/node";
import { tagPath } from "~/shared/addresses";
import { canonicalTag } from "./listing.server";
import { tagOfAlias } from "./tag-aliases.server";

/**
 * The canonical tag that an address below /tags asks for. The path is read as it came: the router's
 * parameter does not tell an encoded slash from the text "%2F".
 *
 * @param pathAfter what follows the tag in its canonical address.
 * @throws a permanent redirect for another spelling, a temporary one for another name of a tag, a 404 for
 *   a text that is no tag.
 */
export function askedTag(request: Request, pathAfter = ""): string {
  const { pathname, search } = new URL(request.url);
  const asked = decoded(pathname.split("/")[2] ?? "");
  const tag = asked === undefined ? undefined : canonicalTag(asked);
  if (tag === undefined || !tagPath(tag).startsWith("/tags/")) {
    throw new Response(null, { status: 404, statusText: "Not Found" });
  }
  const meant = tagOfAlias(tag);
  if (meant !== undefined) throw redirect(tagPath(meant) + pathAfter + search, 302);
  const isCanonical = asked === tag && !(pathAfter === "" && pathname.endsWith("/"));
  if (!isCanonical) throw redirect(tagPath(tag) + pathAfter + search, 301);
  return tag;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
