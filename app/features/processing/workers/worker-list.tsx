import { usePermissions } from "~/features/permissions/use-permissions";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { PageLink } from "~/ui/page-link";
import { Time } from "~/ui/time";
import { type JobNow, progressText } from "../queue/kinds";

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

/** Workers with what each is doing, how fast, and when it was heard of last. */
export function WorkerList({
  workers,
  now,
  children,
}: {
  workers: readonly ListedWorker[];
  /** Milliseconds since 1970, of the server. */
  now: number;
  /** What can be done with a worker. */
  children?: (worker: ListedWorker) => React.ReactNode;
}) {
  return (
    <ul className="ruled rounded-lg border border-line bg-surface">
      {workers.map((worker) => (
        <li key={worker.id} className="flex flex-wrap items-center gap-3 p-3 sm:px-4">
          <div className="min-w-0 grow basis-56 text-sm">
            <p className="flex flex-wrap items-center gap-2 text-base font-medium wrap-anywhere">
              {worker.name}
              <Badge tone={isConnected(worker, now) ? "good" : "plain"}>
                {isConnected(worker, now) ? "Connected" : "Away"}
              </Badge>
            </p>
            {worker.jobs.map((job) => (
              <p key={job.videoId} className="break-words figures">
                {job.label} of{" "}
                <PageLink
                  to={`/video/${encodeURIComponent(job.videoId)}`}
                  className="underline underline-offset-4 hover:text-accent"
                >
                  <bdi>{job.title}</bdi>
                </PageLink>
                {": "}
                {progressText(job)}
              </p>
            ))}
            <p className="text-muted figures">
              {worker.lastSeenAt ? (
                <>
                  Heard of <Time value={worker.lastSeenAt} />
                </>
              ) : (
                "Never heard of"
              )}
              {"; "}
              {formatQuantity(worker.jobsDone, "job")} done
            </p>
            {worker.trouble && (
              <p className="break-words text-bad">Its last result was refused: {worker.trouble}</p>
            )}
          </div>
          {children?.(worker)}
        </li>
      ))}
    </ul>
  );
}

/** The part of the queue's page about workers; nothing where there are none and nobody may make one. */
export function QueueWorkers({ workers, now }: { workers: readonly ListedWorker[]; now: number }) {
  const mayManage = usePermissions()("/admin/workers");
  if (workers.length === 0 && !mayManage) return null;
  return (
    <section aria-labelledby="workers" className="flex flex-col gap-3">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
        <h2 id="workers" className="text-lg font-semibold">
          Workers
        </h2>
        {mayManage && (
          <PageLink
            to="/admin/workers"
            className="inline-flex min-h-11 items-center text-sm text-accent underline underline-offset-4"
          >
            {workers.length === 0 ? "Let another machine convert" : "Manage workers"}
          </PageLink>
        )}
      </div>
      {workers.length > 0 && <WorkerList workers={workers} now={now} />}
    </section>
  );
}
