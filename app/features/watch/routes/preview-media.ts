import type { LoaderFunctionArgs } from "@remix-run/node";
import { findPreview, previewPath } from "~/features/library/review/preview-links.server";
import { respondWithMedia, videosOfFile } from "~/features/visibility/media-access.server";
import { parseMediaUrl } from "~/media/bucket.server";
import { notFound } from "~/media/serve/serve-stored.server";
import { requestContext } from "~/platform/node/request-context.server";

const PLAYLIST = /mpegurl/i;

/**
 * The files of a video for whoever has a preview link of it, and of no other video. They are below the link's own URL:
 * a cookie would also open the video to whoever uses the browser next, and signed URLs couldn't be revoked.
 */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const token = params.token ?? "";
  const within = previewPath(token);
  const { pathname } = new URL(request.url);
  // An address of a file has one spelling, see media.ts.
  const sent = requestContext()?.request.url?.replace(/\?.*$/s, "") ?? pathname;
  const name = sent === pathname ? parseMediaUrl(pathname.slice(within.length)) : undefined;
  const preview = findPreview(token);
  if (!preview || !name || !videosOfFile(name).includes(preview.videoId)) return notFound();
  const answer = await respondWithMedia(request, name, async () => true);
  const headers = new Headers(answer.headers);
  // In no cache, so that nothing is left of it once the link is revoked.
  headers.set("Cache-Control", "private, no-store, no-transform");
  headers.set("X-Robots-Tag", "noindex");
  const isText = answer.status === 200 && PLAYLIST.test(headers.get("Content-Type") ?? "");
  if (!isText || request.method !== "GET" || !answer.body) {
    return new Response(answer.body, { status: answer.status, headers });
  }
  // Captions stand in a playlist by their whole address.
  const text = (await answer.text()).replaceAll('"/media/', `"${within}/media/`);
  const rewritten = text.replaceAll(/^\/media\//gm, `${within}/media/`);
  headers.set("Content-Length", String(Buffer.byteLength(rewritten)));
  headers.delete("ETag");
  return new Response(rewritten, { headers });
}
