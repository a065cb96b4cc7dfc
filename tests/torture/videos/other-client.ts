import { sendRequest } from "../../site-client";
import type { SiteProcess } from "../../site-process";

const PAUSE_MS = 50;

/**
 * Starts a client that keeps requesting the home page, or the given paths in rotation. `stop` returns the client's
 * longest wait and its faults.
 */
export function startOtherClient(site: SiteProcess, paths: readonly string[] = ["/"]) {
  const faults: string[] = [];
  let slowestMs = 0;
  let isEnding = false;
  const work = async () => {
    for (let count = 0; !isEnding; count++) {
      const path = paths[count % paths.length]!;
      const start = performance.now();
      const response = await sendRequest(site, "GET", path).catch((error: unknown) =>
        String(error),
      );
      slowestMs = Math.max(slowestMs, performance.now() - start);
      if (typeof response === "string") faults.push(`${path} got no response: ${response}`);
      else if (response.status !== 200) faults.push(`${path} returned ${response.status}`);
      await new Promise((next) => setTimeout(next, PAUSE_MS));
    }
  };
  const ended = work();
  return {
    async stop() {
      isEnding = true;
      await ended;
      return { slowestMs, faults };
    },
  };
}
