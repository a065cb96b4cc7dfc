import { Form, Link, useNavigation } from "@remix-run/react";
import { CheckCircle2 } from "lucide-react";
import { Button } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Progress } from "./job-progress";
import { BLOCKED, type JobNow, type QueueView } from "./kinds";

/** Running, failed and waiting jobs; the failed ones with their reason and Retry. */
export function QueueList({ queue }: { queue: QueueView }) {
  const { running, failed, waiting, waitingCount } = queue;
  if (running.length + failed.length + waitingCount === 0) {
    return <EmptyState icon={<CheckCircle2 />} title="Everything has been made." />;
  }
  return (
    <div className="flex flex-col gap-8">
      <Section title="Being made" jobs={running}>
        {(job) => <Progress label={job.label} job={job} />}
      </Section>
      <Section
        title="Failed"
        jobs={failed}
        aside={failed.length > 1 && <Retry label="Retry all" />}
      >
        {(job) => (
          <div className="flex flex-wrap items-start justify-between gap-3">
            <div className="min-w-0 grow basis-40 text-sm">
              <p>{job.label}</p>
              <p className="mt-1 break-words text-bad">{job.reason}</p>
            </div>
            <Retry id={job.id} label="Retry" about={`${job.label} of ${job.title}`} />
          </div>
        )}
      </Section>
      <Section title={`Waiting (${waitingCount})`} jobs={waiting}>
        {(job) => (
          <div className="text-sm text-muted">
            <p>{job.label}</p>
            {job.isBlocked && <p className="mt-1">{BLOCKED}</p>}
            {job.reason && <p className="mt-1 break-words">Tried before: {job.reason}</p>}
          </div>
        )}
      </Section>
    </div>
  );
}

function Section({
  title,
  jobs,
  aside,
  children,
}: {
  title: string;
  jobs: JobNow[];
  aside?: React.ReactNode;
  children: (job: JobNow) => React.ReactNode;
}) {
  if (jobs.length === 0) return null;
  return (
    <section aria-label={title}>
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {aside}
      </div>
      <ul className="ruled rounded-lg border border-line bg-surface">
        {jobs.map((job) => (
          <li key={job.id} className="flex flex-col gap-2 p-4">
            <Link
              to={`/video/${encodeURIComponent(job.videoId)}`}
              className="-my-2 flex min-h-11 items-center font-medium hover:text-accent"
            >
              <span className="line-clamp-1">{job.title}</span>
            </Link>
            {children(job)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Starts one failed job anew, or all of them. */
function Retry({ id, label, about }: { id?: number; label: string; about?: string }) {
  const sent = useNavigation().formData;
  const busy = sent?.get("intent") === "retry" && sent.get("id") === String(id ?? "");
  return (
    <Form method="post" action="/admin/queue">
      <input type="hidden" name="intent" value="retry" />
      <input type="hidden" name="id" value={id ?? ""} />
      <Button
        variant="secondary"
        size="sm"
        busy={busy}
        busyLabel="Retrying..."
        aria-label={about && `${label}: ${about}`}
      >
        {label}
      </Button>
    </Form>
  );
}
