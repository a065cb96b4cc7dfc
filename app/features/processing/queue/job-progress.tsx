import { Link } from "@remix-run/react";
import { TriangleAlert } from "lucide-react";
import { formatQuantity } from "~/shared/format";
import { BLOCKED, type JobSummary, type ListedJob, progressText } from "./kinds";

/** A job's progress as a bar and as text. */
export function Progress({ label, job }: { label: string; job: ListedJob }) {
  const percent = Math.floor(job.progress * 100);
  return (
    <div className="flex min-w-[min(10rem,100%)] flex-col gap-1 text-sm">
      <span className="flex flex-wrap justify-between gap-x-3">
        <span>{label}</span>
        <span className="text-muted figures">{progressText(job)}</span>
      </span>
      <progress
        value={percent}
        max={100}
        aria-label={`${label}, ${job.title}`}
        className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-raised forced-color-adjust-none [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent"
      >
        {percent}%
      </progress>
    </div>
  );
}

function waitingText(
  waiting: number,
  { isRunning, isBlocked }: { isRunning: boolean; isBlocked: boolean | undefined },
): string {
  const jobs = formatQuantity(waiting, "job");
  if (isBlocked) return `${jobs} queued. ${BLOCKED}`;
  return isRunning ? `${jobs} remaining` : `Queued for processing (${jobs})`;
}

/** A video's unfinished jobs, shown in its row of the admin list. Renders nothing when all jobs are done. */
export function JobLine({ summary }: { summary: JobSummary | undefined }) {
  if (!summary) return null;
  const { running, waiting, failed, isBlocked } = summary;
  return (
    <div className="flex flex-col gap-1 text-sm">
      {running && <Progress label={running.label} job={running} />}
      {waiting > 0 && (
        <span className="text-muted">
          {waitingText(waiting, { isRunning: running !== undefined, isBlocked })}
        </span>
      )}
      {failed.length > 0 && (
        <Link
          to="/admin/queue"
          className="inline-flex min-h-11 items-center gap-1.5 text-bad underline mouse:min-h-0"
        >
          <TriangleAlert aria-hidden="true" className="size-4 shrink-0" />
          {failed.map((job) => job.label).join(", ")} failed
        </Link>
      )}
    </div>
  );
}
