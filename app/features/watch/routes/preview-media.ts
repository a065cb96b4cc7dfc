import type { LoaderFunctionArgs } from "@remix-run/node";
import { findPreview, previewPath } from "~/features/library/review/preview-links.server";
import { respondWithMedia, videosOfFile } from "~/features/visibility/media-access.server";
import { parseMediaUrl } from "~/media/bucket.server";
import { notFound } from "~/media/serve/serve-stored.server";
import { requestContext } from "~/platform/node/request-context.server";

const PLAYLIST = /mpegurl/i;

/**
 * Serves only the files of the video that a preview link shows. Their URLs start with the link's URL. Cookies and
 * signed URLs aren't used, because a cookie would also give access to the next person who uses the browser, and signed
 * URLs couldn't be revoked.
 */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const token = params.token ?? "";
  const within = previewPath(token);
  const { pathname } = new URL(request.url);
  // Each file's URL has exactly one valid spelling; see media.ts.
  const sent = requestContext()?.request.url?.replace(/\?.*$/s, "") ?? pathname;
  const name = sent === pathname ? parseMediaUrl(pathname.slice(within.length)) : undefined;
  const preview = findPreview(token);
  if (!preview || !name || !videosOfFile(name).includes(preview.videoId)) return notFound();
  const response = await respondWithMedia(request, name, async () => true);
  const headers = new Headers(response.headers);
  // Responses are never cached, so that no copies remain once the link has been revoked.
  headers.set("Cache-Control", "private, no-store, no-transform");
  headers.set("X-Robots-Tag", "noindex");
  const isText = response.status === 200 && PLAYLIST.test(headers.get("Content-Type") ?? "");
  if (!isText || request.method !== "GET" || !response.body) {
    return new Response(response.body, { status: response.status, headers });
  }
  // Playlists contain absolute paths to the captions.
  const text = (await response.text()).replaceAll('"/media/', `"${within}/media/`);
  const rewritten = text.replaceAll(/^\/media\//gm, `${within}/media/`);
  headers.set("Content-Length", String(Buffer.byteLength(rewritten)));
  headers.delete("ETag");
  return new Response(rewritten, { headers });
}
