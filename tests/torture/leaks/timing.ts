import http from "node:http";
import type { HiddenSite } from "./hidden-run";
import { newVideo, type Video } from "./hidden-videos";

/** The largest difference, in milliseconds, that visitors can't detect. */
const MAX_DIFFERENCE_MS = 5;
/**
 * The fraction of the times to discard at each end as outliers, because the machine may have been busy with other work.
 */
const TRIMMED_SHARE = 0.1;
const WARM_UP = 200;

export interface Times {
  name: string;
  pairs: number;
  /** The time for the hidden video minus the time for a nonexistent one, in milliseconds. */
  medians: number;
  means: number;
}

/** The requests that are timed. */
const REQUESTS: Record<
  string,
  (video: Video) => { path: string; headers?: Record<string, string> }
> = {
  page: ({ id }) => ({ path: `/video/${id}` }),
  data: ({ id }) => ({ path: `/video/${id}.data` }),
  video: ({ base }) => ({ path: `/media/videos/${base}.mp4` }),
  "video with a broken session": ({ base }) => ({
    path: `/media/videos/${base}.mp4`,
    headers: { Cookie: "session=broken.signature" },
  }),
  playlist: ({ base }) => ({ path: `/media/videos/${base}/hls/master.m3u8` }),
  stream: ({ id }) => ({ path: `/video/${id}/stream` }),
};

/** Times pairs of requests, one for a hidden video and one for a nonexistent video, in random order. */
export async function compareTimes(hidden: HiddenSite, pairs: number): Promise<Times[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const { site, random, videos, faults } = hidden;
  const found: Times[] = [];
  const ask = ({ path, headers }: ReturnType<(typeof REQUESTS)[string]>) =>
    new Promise<number>((resolve, reject) => {
      const started = performance.now();
      http
        .get(new URL(path, site.url), { agent, headers }, (response) => {
          response.resume().on("end", () => resolve(performance.now() - started));
        })
        .on("error", reject);
    });
  try {
    for (const [name, request] of Object.entries(REQUESTS)) {
      const times: [number[], number[]] = [[], []];
      for (let pair = -WARM_UP; pair < pairs; pair++) {
        const video = random.pick(videos);
        const both = [
          request(video),
          request(newVideo(random, 1_000 + random.below(1e6))),
        ] as const;
        const first = random.below(2);
        for (const which of [first, 1 - first] as (0 | 1)[]) {
          const ms = await ask(both[which]);
          if (pair >= 0) times[which].push(ms);
        }
      }
      const [medians, means] = [median, trimmedMean].map((of) => of(times[0]) - of(times[1]));
      found.push({ name, pairs, medians: medians!, means: means! });
      if (Math.max(Math.abs(medians!), Math.abs(means!)) >= MAX_DIFFERENCE_MS)
        faults.push(`${name}: a hidden video takes ${medians} ms (mean ${means} ms) longer`);
    }
  } finally {
    agent.destroy();
  }
  return found;
}

const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b);
const median = (list: readonly number[]) => sorted(list)[Math.floor(list.length / 2)]!;

function trimmedMean(list: readonly number[]): number {
  const cut = Math.floor(list.length * TRIMMED_SHARE);
  const kept = sorted(list).slice(cut, list.length - cut);
  return kept.reduce((sum, one) => sum + one, 0) / kept.length;
}
