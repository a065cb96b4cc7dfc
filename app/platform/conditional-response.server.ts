import { createHash } from "node:crypto";
import { failedPrecondition } from "~/shared/conditional";
import { catalogueVersion } from "~db/changes.server";
import { processState } from "~db/runtime.server";
import { settings } from "./settings.server";

const started = Date.now();
const seen = processState("seen catalogue", () => ({ catalogue: -1, since: started }));

/**
 * Returns the validators for a response that depends on the whole catalogue: an entity tag for the catalogue's version,
 * and the time when this process first saw that version.
 */
function validators(origin: string) {
  const { catalogue } = catalogueVersion();
  const last = seen();
  if (last.catalogue !== catalogue) {
    if (last.catalogue >= 0) last.since = Date.now();
    last.catalogue = catalogue;
  }
  const tag = createHash("sha256").update(`${origin} ${catalogue} ${started}`).digest("base64url");
  return { etag: `W/"${tag.slice(0, 22)}"`, lastModified: last.since };
}

/**
 * Returns a response that depends on the catalogue, 304 if the client already has it, or 404.
 *
 * @param body is called after the catalogue's version has been read, so that no response has the entity tag of a newer
 *   catalogue. It returns undefined for a 404.
 */
export async function conditionalResponse(
  request: Request,
  origin: string,
  contentType: string,
  body: () => BodyInit | undefined | Promise<BodyInit | undefined>,
): Promise<Response> {
  const now = validators(origin);
  // Shared caches must not store the response if PUBLIC_URL isn't set, because URLs then depend on the Host header, or
  // if there are country rules, because it then depends on the visitor's country.
  const { publicUrl, countryRules } = settings();
  const scope = publicUrl && !countryRules ? "public" : "private";
  const headers = {
    // A shared cache has to revalidate each time, so that it never serves a video that has been hidden in the meantime.
    "Cache-Control": scope === "public" ? "public, no-cache" : "private, max-age=300",
    ETag: now.etag,
    "Last-Modified": new Date(now.lastModified).toUTCString(),
  };
  const failed = failedPrecondition(request.headers, now);
  if (failed) return new Response(null, { status: failed, headers });
  const content = await body();
  if (content === undefined) return new Response("Not Found", { status: 404 });
  return new Response(request.method === "HEAD" ? null : content, {
    headers: { ...headers, "Content-Type": contentType },
  });
}
