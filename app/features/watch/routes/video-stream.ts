import type { LoaderFunctionArgs } from "@remix-run/node";
import { streamStart } from "../stream-start.server";
import { publishedStream } from "../video.server";

const HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/**
 * Returns the beginning of a published video's stream to pages that link to the video. Responds with 204 if the video
 * has no stream.
 */
export async function loader({ params }: LoaderFunctionArgs): Promise<Response> {
  const hlsUrl = await publishedStream(params.id ?? "");
  if (!hlsUrl) return new Response(null, { status: 204, headers: HEADERS });
  return Response.json({ hlsUrl, start: await streamStart(hlsUrl) }, { headers: HEADERS });
}
