import { createHash } from "node:crypto";
import { failedPrecondition } from "~/shared/conditional";
import { catalogueVersion } from "~db/changes.server";
import { processState } from "~db/runtime.server";
import { settings } from "./settings.server";

const started = Date.now();
const seen = processState("seen catalogue", () => ({ catalogue: -1, since: started }));

/**
 * The validators of what is made of the whole catalogue: a tag of its version, and when this process
 * first saw that version, for those who ask by time.
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
 * An answer made of the catalogue, 304 if the client has it already, or 404.
 *
 * @param body is called after the version of the catalogue was read, so that no answer has the tag of a
 *   catalogue that is newer than it. Undefined for a 404.
 */
export async function validatedAnswer(
  request: Request,
  origin: string,
  contentType: string,
  body: () => BodyInit | undefined | Promise<BodyInit | undefined>,
): Promise<Response> {
  const now = validators(origin);
  // Without PUBLIC_URL its addresses are of the asker's Host, and fit nobody else.
  // By rules of countries a shared cache would pass on what its asker may not have.
  const { publicUrl, countryRules } = settings();
  const scope = publicUrl && !countryRules ? "public" : "private";
  const headers = {
    // A shared cache asks each time: what is hidden is gone from the next answer.
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
