import type { ActionFunctionArgs } from "@remix-run/node";
import { countsAsView } from "~/features/catalogue/views.server";
import { clientAddress } from "~/platform/client-address.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readText } from "~/platform/small-form.server";
import { REPORT } from "~/shared/statistics/watched-parts";
import { countWatched } from "../watched-parts.server";

const HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };
/** A report has one digit per part of the video. A longer body is rejected. */
const MAX_BYTES = 64;
const TEXT_TYPE = /^text\/plain\s*(;|$)/i;

/**
 * Counts which parts of a video were watched during a view that has ended. Responds with 204, even if the view isn't
 * counted because the visitor has opted out. Responds with 404 if there is no published video with this id, and with
 * 400, 413 or 415 if the report is invalid.
 */
export async function action({ request, params }: ActionFunctionArgs): Promise<Response> {
  requireOwnOrigin(request);
  if (request.method !== "POST") return loader();
  if (!TEXT_TYPE.test(request.headers.get("Content-Type") ?? "")) return respond(415);
  const report = await readText(request, MAX_BYTES);
  if (!REPORT.test(report)) return respond(400);
  if (!countsAsView(request) || hasOptedOut(request.headers)) return respond(204);
  return respond(countWatched(params.id ?? "", report, clientAddress(request)) ? 204 : 404);
}

export function loader(): Response {
  return new Response(null, { status: 405, headers: { ...HEADERS, Allow: "POST" } });
}

/** Returns whether the visitor has opted out through Global Privacy Control, Do Not Track or Save-Data. */
function hasOptedOut(headers: Headers): boolean {
  return (
    headers.get("Sec-GPC") === "1" ||
    headers.get("DNT") === "1" ||
    headers.get("Save-Data")?.toLowerCase() === "on"
  );
}

function respond(status: number): Response {
  const headers = new Headers(HEADERS);
  // The response doesn't wait for the rest of the body.
  if (status === 415) headers.set("Connection", "close");
  return new Response(null, { status, headers });
}
