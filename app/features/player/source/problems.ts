/** Why the video doesn't play. Only `connection` and `preparing` mend themselves. */
export type Problem = "connection" | "missing" | "damaged" | "unsupported" | "preparing";

/** One sentence each: what happened, and what comes of it. */
export const PROBLEM_SENTENCES: Record<Problem, string> = {
  connection: "The connection was lost; the video goes on as soon as it is back.",
  missing: "The file of this video can't be found.",
  damaged: "This video is damaged here and can't be played further.",
  unsupported: "Your browser can't play this kind of video.",
  preparing:
    "This video is being prepared for this device; it can be played here when that is done.",
};

/** MediaError.code, HTML §4.8.11.1. */
const DECODE = 3;

const PROBE_TIMEOUT_MS = 8_000;

/** What the element's error means, asking the server where the code alone doesn't say. */
export async function diagnose(code: number, url: string): Promise<Problem> {
  const answer = await probe(url);
  if (answer !== "found") return answer === "missing" ? "missing" : "connection";
  return code === DECODE ? "damaged" : "unsupported";
}

/** Asks for the first byte of a file: is it there, is it gone, or can't the server be reached? */
export async function probe(url: string): Promise<"found" | "missing" | "unreachable"> {
  try {
    const response = await fetch(url, {
      headers: { Range: "bytes=0-0" },
      cache: "no-store",
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return "found";
    return response.status < 500 && response.status !== 429 ? "missing" : "unreachable";
  } catch {
    return "unreachable";
  }
}
