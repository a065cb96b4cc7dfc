import { usePermissions } from "~/features/permissions/use-permissions";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { PageLink } from "~/ui/page-link";
import { Time } from "~/ui/time";
import { type ListedJob, progressText } from "../queue/kinds";

/** A worker as shown in the studio. Times are in ISO 8601 format (UTC). */
export interface ListedWorker {
  id: number;
  name: string;
  createdAt: string;
  lastSeenAt: string | null;
  jobsDone: number;
  /** The reason why the last result was rejected; null if it was accepted. */
  trouble: string | null;
  jobs: Pick<ListedJob, "label" | "title" | "videoId" | "progress" | "speed" | "secondsLeft">[];
}

/** Workers send a request every few seconds, even without a job. */
const OFFLINE_AFTER_MS = 60_000;

/** Returns whether a worker has recently sent a request. */
export function isConnected(
  { lastSeenAt }: Pick<ListedWorker, "lastSeenAt">,
  now: number,
): boolean {
  return lastSeenAt !== null && now - Date.parse(lastSeenAt) < OFFLINE_AFTER_MS;
}

/** The workers, each with its jobs and their progress, and the time when it was last seen. */
export function WorkerList({
  workers,
  now,
  children,
}: {
  workers: readonly ListedWorker[];
  /** The server's time, in milliseconds since 1970. */
  now: number;
  /** Renders a worker's buttons. */
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
                {isConnected(worker, now) ? "Connected" : "Offline"}
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
                  Last seen <Time value={worker.lastSeenAt} />
                </>
              ) : (
                "Never connected"
              )}
              {"; "}
              {formatQuantity(worker.jobsDone, "job")} done
            </p>
            {worker.trouble && (
              <p className="break-words text-bad">The last result was rejected: {worker.trouble}</p>
            )}
          </div>
          {children?.(worker)}
        </li>
      ))}
    </ul>
  );
}

/** The list of workers on the queue page. It is hidden if there are no workers and the user can't create one. */
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
            {workers.length === 0 ? "Add a worker" : "Manage workers"}
          </PageLink>
        )}
      </div>
      {workers.length > 0 && <WorkerList workers={workers} now={now} />}
    </section>
  );
}
