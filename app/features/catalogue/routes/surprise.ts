import { randomInt } from "node:crypto";
import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { videoPath } from "~/shared/addresses";
import { surprise } from "../surprise.server";

const HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };
const LARGEST = 2 ** 31;

/**
 * Redirects to a random video. To avoid repeats, scripts pass the seed of a random walk and a step. They receive only
 * the video's id, as JSON. The server doesn't store anything.
 */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const seed = wholeNumber(searchParams.get("seed")) ?? randomInt(LARGEST);
  const step = wholeNumber(searchParams.get("step")) ?? 0;
  const found = await surprise(seed, step);
  if (searchParams.has("seed")) {
    return Response.json(found ?? null, { status: found ? 200 : 404, headers: HEADERS });
  }
  return redirect(found ? videoPath(found.id, { from: "home" }) : "/", { headers: HEADERS });
}

function wholeNumber(text: string | null): number | undefined {
  if (!text || !/^\d{1,10}$/.test(text)) return undefined;
  const number = Number(text);
  return number < LARGEST ? number : undefined;
}
