import { Form, useNavigation } from "@remix-run/react";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { EmptyState } from "~/ui/empty-state";
import { PageLink } from "~/ui/page-link";
import { Time } from "~/ui/time";
import { useHydrated } from "~/ui/use-hydrated";
import { parseReason } from "../queue/failure-reasons";
import { Progress } from "../queue/job-progress";
import { BLOCKED, type ListedJob } from "../queue/kinds";
import { QUEUE_STATE_LABELS, type QueueView, queueHref } from "./queue-address";
import type { QueuePage } from "./queue-page.server";

const FORM = "queue";
const CHANGES = [
  ["now", "Move to front"],
  ["later", "Move to back"],
  ["again", "Run again"],
] as const;

/** The jobs on a page, each with its buttons, and the bulk actions for the selected jobs. */
export function QueueLists({
  view,
  queue: { lists, counts, video },
  codecs,
}: {
  view: QueueView;
  queue: QueuePage;
  /** The labels of the additional codecs that can be encoded, such as `AV1`. */
  codecs: readonly string[];
}) {
  const hydrated = useHydrated();
  const [checked, setChecked] = useState<ReadonlySet<number>>(new Set());
  const jobs = lists.flatMap((list) => list.jobs);
  const count = jobs.filter(({ id }) => checked.has(id)).length;
  const toggle = (id: number) => {
    const next = new Set(checked);
    if (!next.delete(id)) next.add(id);
    setChecked(next);
  };
  const list = (of: readonly ListedJob[]) => (
    <ul className="ruled rounded-lg border border-line bg-surface">
      {of.map((job) => (
        <QueueJob
          key={job.id}
          job={job}
          checked={hydrated ? checked.has(job.id) : undefined}
          onCheck={() => toggle(job.id)}
        />
      ))}
    </ul>
  );
  return (
    <>
      {video && <VideoHead video={video} hasJobs={jobs.length > 0} codecs={codecs} />}
      {jobs.length === 0 && <Empty view={view} />}
      {lists.map(({ state, jobs: listed }) => {
        if (listed.length === 0) return null;
        if (!state) return <div key="video">{list(listed)}</div>;
        const total = counts[state] ?? listed.length;
        const title = `${QUEUE_STATE_LABELS[state]} (${total.toLocaleString("en")})`;
        return (
          <section key={state} aria-label={title}>
            <div className="mb-3 flex min-h-11 flex-wrap items-center justify-between gap-3">
              <h2 className="text-lg font-semibold figures">{title}</h2>
              {state === "failed" && total > 1 && <RetryAll />}
            </div>
            {list(listed)}
            {view.state === undefined && total > listed.length && (
              <PageLink
                to={queueHref({ state })}
                className="mt-2 inline-flex min-h-11 items-center text-sm text-accent underline underline-offset-4"
              >
                Show all {total.toLocaleString("en")}
              </PageLink>
            )}
          </section>
        );
      })}
      {jobs.length > 0 && (
        <Form
          id={FORM}
          method="post"
          preventScrollReset
          hidden={hydrated && count === 0}
          aria-label="Selected jobs"
          onSubmit={() => setChecked(new Set())}
          className={classNames(
            "flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised px-3 py-2 lifted sm:gap-3 sm:px-4",
            hydrated && "bottom-3 z-10 [@media(height>=40rem)]:sticky",
          )}
        >
          <p role="status" className="mr-auto font-semibold figures">
            {hydrated ? `${count} selected` : "Bulk actions"}
          </p>
          {hydrated && count < jobs.length && (
            <Button
              type="button"
              variant="ghost"
              size="sm"
              onClick={() => setChecked(new Set(jobs.map(({ id }) => id)))}
            >
              Select all on this page
            </Button>
          )}
          {CHANGES.map(([intent, label]) => (
            <Button key={intent} name="intent" value={intent} variant="secondary" size="sm">
              {label}
            </Button>
          ))}
        </Form>
      )}
    </>
  );
}

/** The heading for one video's jobs, with buttons that re-encode or move all of them. */
function VideoHead({
  video,
  hasJobs,
  codecs,
}: {
  video: NonNullable<QueuePage["video"]>;
  hasJobs: boolean;
  codecs: readonly string[];
}) {
  const busy = useNavigation().formData;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0">
        <h2 dir="auto" className="line-clamp-2 text-lg font-semibold break-words">
          {video.title}
        </h2>
        {video.hasFile && !hasJobs && <p className="text-sm text-muted">This video has no jobs.</p>}
        {!video.hasFile && <p className="text-sm text-muted">This video has no file to process.</p>}
      </div>
      {video.hasFile && (
        <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="video" value={video.id} />
          <Button
            name="intent"
            value="again"
            variant="secondary"
            size="sm"
            busy={busy?.get("video") === video.id && busy.get("intent") === "again"}
            busyLabel="Queuing…"
          >
            Re-encode
          </Button>
          {hasJobs && (
            <>
              <Button name="intent" value="now" variant="secondary" size="sm">
                Move all to front
              </Button>
              <Button name="intent" value="later" variant="secondary" size="sm">
                Move all to back
              </Button>
            </>
          )}
          {codecs.length > 0 && video.hasStream && (
            <Button name="intent" value="codecs" variant="secondary" size="sm">
              Add {codecs.join(" and ")}
            </Button>
          )}
        </Form>
      )}
    </div>
  );
}

function RetryAll() {
  const busy = useNavigation().formData;
  return (
    <Form method="post" preventScrollReset>
      <Button
        name="intent"
        value="retry"
        variant="secondary"
        size="sm"
        busy={busy?.get("intent") === "retry"}
        busyLabel="Retrying…"
      >
        Retry all
      </Button>
    </Form>
  );
}

function Empty({ view }: { view: QueueView }) {
  if (view.video !== undefined) return null;
  const messages = {
    running: "No jobs running",
    waiting: "No queued jobs",
    failed: "No failed jobs",
    done: "No completed jobs yet",
  };
  if (!view.state) return <EmptyState icon={<CircleCheck />} title="All done" />;
  return (
    <EmptyState
      icon={<CircleCheck />}
      title={messages[view.state]}
      action={<ButtonLink to="/admin/queue">Show unfinished jobs</ButtonLink>}
    />
  );
}

/** A job's buttons, depending on its state. */
const CHANGES_OF: Record<ListedJob["state"], [intent: string, label: string][]> = {
  running: [["later", "Move to back"]],
  waiting: [
    ["now", "Move to front"],
    ["later", "Move to back"],
  ],
  failed: [["again", "Retry"]],
  done: [["again", "Run again"]],
};

/** A job's row: its video, its state, and its buttons. */
function QueueJob({
  job,
  checked,
  onCheck,
}: {
  job: ListedJob;
  /** Undefined before hydration, because the checkbox is uncontrolled until then. */
  checked: boolean | undefined;
  onCheck: () => void;
}) {
  const about = `${job.label} of ${job.title}`;
  const busy = useNavigation().formData;
  const sent = busy?.get("selected") === String(job.id) ? busy.get("intent") : undefined;
  return (
    <li className="flex items-start gap-3 p-3 sm:px-4">
      <label className="grid size-11 shrink-0 place-items-center">
        <input
          type="checkbox"
          form={FORM}
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
        <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="selected" value={job.id} />
          {CHANGES_OF[job.state].map(([intent, label]) => (
            <Button
              key={intent}
              name="intent"
              value={intent}
              variant="secondary"
              size="sm"
              busy={sent === intent}
              busyLabel={intent === "again" ? "Retrying…" : "Moving…"}
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

function State({ job }: { job: ListedJob }) {
  const { label, state, reason, finishedAt } = job;
  if (state === "running") return <Progress label={label} job={job} />;
  if (state === "failed") return <Failure job={job} />;
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      <p className="flex flex-wrap items-center gap-2">
        {label}
        {job.position && (
          <Badge tone={job.position === "first" ? "good" : "plain"}>
            {job.position === "first" ? "First" : "Last"}
          </Badge>
        )}
      </p>
      {job.isBlocked && <p>{BLOCKED}</p>}
      {state === "waiting" && reason && (
        <p className="break-words">Last attempt failed: {parseReason(reason).why}</p>
      )}
      {state === "done" && finishedAt && (
        <p className="figures">
          Completed <Time value={finishedAt} />
        </p>
      )}
    </div>
  );
}

function Failure({ job: { label, reason, finishedAt } }: { job: ListedJob }) {
  const { why, advice, output } = parseReason(reason ?? "");
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p>
        {label}
        {finishedAt && (
          <span className="text-muted figures">
            {" failed "}
            <Time value={finishedAt} />
          </span>
        )}
      </p>
      <p className="break-words text-bad">{why}</p>
      <p className="break-words">{advice}</p>
      {output && (
        <details className="text-muted">
          <summary className="inline-flex min-h-11 cursor-pointer items-center mouse:min-h-0">
            Technical details
          </summary>
          <p className="break-words">{output}</p>
        </details>
      )}
    </div>
  );
}
