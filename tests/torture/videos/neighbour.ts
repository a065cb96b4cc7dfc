import { ask } from "../../site-client";
import type { SiteProcess } from "../../site-process";

const PAUSE_MS = 50;

/** A second client that goes on asking for home, or for what it is given in turn; `stop` returns how long it was kept at most, and its faults. */
export function startNeighbour(site: SiteProcess, paths: readonly string[] = ["/"]) {
  const faults: string[] = [];
  let slowestMs = 0;
  let isEnding = false;
  const work = async () => {
    for (let turn = 0; !isEnding; turn++) {
      const path = paths[turn % paths.length]!;
      const start = performance.now();
      const answer = await ask(site, "GET", path).catch((error: unknown) => String(error));
      slowestMs = Math.max(slowestMs, performance.now() - start);
      if (typeof answer === "string") faults.push(`${path} was not answered: ${answer}`);
      else if (answer.status !== 200) faults.push(`${path} was answered ${answer.status}`);
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
