import { Form } from "@remix-run/react";
import { readReason } from "~/media/encode/explain";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { PageLink } from "~/ui/page-link";
import { Progress } from "../queue/job-progress";
import { BLOCKED, type JobNow } from "../queue/kinds";

const TIME = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** What can be done with a job, by its state; the words of its buttons. */
const CHANGES: Record<JobNow["state"], [intent: string, label: string][]> = {
  running: [["later", "Later"]],
  waiting: [
    ["now", "Now"],
    ["later", "Later"],
  ],
  failed: [["again", "Retry"]],
  done: [["again", "Make again"]],
};

/** A job as a row: of which video, how far, why it failed and what to do, and its buttons. */
export function QueueJob({
  job,
  form,
  action,
  busy,
  checked,
  onCheck,
}: {
  job: JobNow;
  /** The form that the checkbox belongs to. */
  form: string;
  action: string;
  busy: FormData | undefined;
  /** Undefined while the browser alone knows. */
  checked: boolean | undefined;
  onCheck: () => void;
}) {
  const about = `${job.label} of ${job.title}`;
  const sent = busy?.get("selected") === String(job.id) ? busy.get("intent") : undefined;
  return (
    <li className="flex items-start gap-3 p-3 sm:px-4">
      <label className="grid size-11 shrink-0 place-items-center">
        <input
          type="checkbox"
          form={form}
          name="selected"
          value={job.id}
          aria-label={`Select ${about}`}
          checked={checked}
          onChange={onCheck}
          className="size-5 shrink-0"
        />
      </label>
      <div className="flex min-w-0 grow flex-wrap items-start justify-between gap-x-3 gap-y-2">
        <div className="min-w-0 grow basis-56">
          <PageLink
            to={`/video/${encodeURIComponent(job.videoId)}`}
            dir="auto"
            className="flex min-h-11 items-center font-medium hover:text-accent"
          >
            <span className="line-clamp-2 break-words">{job.title}</span>
          </PageLink>
          <State job={job} />
          {job.note && <p className="text-sm text-muted">{job.note}</p>}
        </div>
        <Form method="post" action={action} preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="selected" value={job.id} />
          {CHANGES[job.state].map(([intent, label]) => (
            <Button
              key={intent}
              name="intent"
              value={intent}
              variant="secondary"
              size="sm"
              busy={sent === intent}
              busyLabel={intent === "again" ? "Retrying..." : "Moving..."}
              aria-label={`${label}: ${about}`}
            >
              {label}
            </Button>
          ))}
        </Form>
      </div>
    </li>
  );
}

function State({ job }: { job: JobNow }) {
  const { label, state, reason, finishedAt } = job;
  if (state === "running") return <Progress label={label} job={job} />;
  if (state === "failed") return <Failure job={job} />;
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      <p className="flex flex-wrap items-center gap-2">
        {label}
        {job.turn && (
          <Badge tone={job.turn === "first" ? "good" : "plain"}>
            {job.turn === "first" ? "First" : "Last"}
          </Badge>
        )}
      </p>
      {job.isBlocked && <p>{BLOCKED}</p>}
      {state === "waiting" && reason && (
        <p className="break-words">Tried before: {readReason(reason).why}</p>
      )}
      {state === "done" && finishedAt && (
        <p className="figures">
          Done <time dateTime={finishedAt}>{TIME.format(new Date(finishedAt))}</time> UTC
        </p>
      )}
    </div>
  );
}

function Failure({ job: { label, reason, finishedAt } }: { job: JobNow }) {
  const { why, advice, said } = readReason(reason ?? "");
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p>
        {label}
        {finishedAt && (
          <span className="text-muted figures">
            {" failed "}
            <time dateTime={finishedAt}>{TIME.format(new Date(finishedAt))}</time> UTC
          </span>
        )}
      </p>
      <p className="break-words text-bad">{why}</p>
      <p className="break-words">{advice}</p>
      {said && (
        <details className="text-muted">
          <summary className="inline-flex min-h-11 cursor-pointer items-center mouse:min-h-0">
            What ffmpeg said
          </summary>
          <p className="break-words">{said}</p>
        </details>
      )}
    </div>
  );
}
