import type { JobNow } from "../queue/kinds";

/** A worker as the studio shows it; times are ISO 8601 UTC. */
export interface ListedWorker {
  id: number;
  name: string;
  createdAt: string;
  lastSeenAt: string | null;
  jobsDone: number;
  /** Why the last result was refused, if it was. */
  trouble: string | null;
  jobs: Pick<JobNow, "label" | "title" | "videoId" | "progress" | "speed" | "secondsLeft">[];
}

/** A worker asks at least every few seconds, whatever it does. */
const QUIET_AFTER_MS = 60_000;

/** Whether a worker has been heard of lately. */
export function isConnected(
  { lastSeenAt }: Pick<ListedWorker, "lastSeenAt">,
  now: number,
): boolean {
  return lastSeenAt !== null && now - Date.parse(lastSeenAt) < QUIET_AFTER_MS;
}
