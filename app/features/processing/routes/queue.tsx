import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData, useNavigation } from "@remix-run/react";
import { Pause, Play } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { Pager } from "~/features/catalogue/pager";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { disabledCodecs, extraCodecs } from "~/media/encode/encoders.server";
import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { type Failure, failure, GONE } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { redirectWithToast } from "~/platform/toast.server";
import { formatQuantity } from "~/shared/format";
import { formatSpan } from "~/shared/format-span";
import { EXTRA_CODECS } from "~/shared/streams/codecs";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { AnswerFailure, FailureNotice } from "~/ui/feedback/failure-notice";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { queryThread } from "~db/threads/query-thread.server";
import { WITHOUT_FFMPEG } from "../queue/failure-reasons";
import { pausedSince } from "../queue/queue-state.server";
import {
  QUEUE_STATE_LABELS,
  QUEUE_STATES,
  type QueueView,
  queueHref,
  readQueueView,
} from "../screens/queue-address";
import { QueueLists } from "../screens/queue-list";
import type { QueuePage } from "../screens/queue-page.server";
import { QueueWorkers } from "../workers/worker-list";
import { listWorkers } from "../workers/workers.server";
import { performQueue } from "./queue-action.server";

export const meta = privateMeta("Processing");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/queue");
  const view = readQueueView(new URL(request.url).searchParams);
  const concurrency = settings().encoderConcurrency;
  const queue = await queryThread<QueuePage>("studio", "queue", { view, concurrency });
  const page = {
    view: { ...view, page: queue.page },
    queue,
    pausedSince: pausedSince(),
    diskFull: !(await hasFreeDiskSpace()),
    ffmpeg: ffmpegAvailable(),
    workers: await listWorkers(),
    now: Date.now(),
    codecs: extraCodecs().map((codec) => EXTRA_CODECS[codec].label),
    codecsOff: ffmpegAvailable() ? disabledCodecs() : [],
  };
  return data(page, { status: queue.video === null ? 404 : 200 });
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/queue");
  requireOwnOrigin(request);
  const view = readQueueView(new URL(request.url).searchParams);
  const answer = await performQueue(request, user.id);
  if ("status" in answer) return data({ error: answer }, { status: answer.status });
  throw redirectWithToast(queueHref(view), answer);
}

export default function Queue() {
  const page = useLoaderData<typeof loader>();
  const { view, queue, pausedSince, diskFull, ffmpeg, codecs, codecsOff } = page;
  useLiveRefresh({ jobs: true });
  const error = useFormResponse<{ error?: Failure }>()?.error;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Processing</h1>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      {!ffmpeg && <Notice>{WITHOUT_FFMPEG}</Notice>}
      {ffmpeg && diskFull && (
        <Notice isBad>
          The disk is almost full. Processing is on hold until there is enough space.
        </Notice>
      )}
      {codecsOff.length > 0 && <Notice>{codecsOff.join(" ")}</Notice>}
      <QueueHead queue={queue} pausedSince={pausedSince} />
      <QueueFilters view={view} counts={queue.counts} />
      {queue.video === null ? (
        <FailureNotice toast={failure(404, GONE).toast} />
      ) : (
        <QueueLists view={view} queue={queue} codecs={codecs} />
      )}
      {view.page === 1 && !view.video && <QueueWorkers workers={page.workers} now={page.now} />}
      <Pager
        page={queue.page}
        pageCount={queue.pageCount}
        hrefFor={(page) => queueHref({ ...view, page })}
      />
    </div>
  );
}

function Notice({ isBad = false, children }: { isBad?: boolean; children: React.ReactNode }) {
  return (
    <p
      role="status"
      className={`rounded-lg border border-line bg-surface p-4 text-sm ${isBad ? "text-bad" : ""}`}
    >
      {children}
    </p>
  );
}

/** The queue's state, the estimated time remaining, and the button that pauses or resumes the queue. */
function QueueHead({
  queue: { counts, secondsLeft },
  pausedSince,
}: {
  queue: Pick<QueuePage, "counts" | "secondsLeft">;
  /** ISO 8601 UTC */
  pausedSince: string | null;
}) {
  const busy = useNavigation().formData;
  const { running = 0, waiting = 0 } = counts;
  const isPaused = pausedSince !== null;
  const intent = isPaused ? "resume" : "pause";
  const Icon = isPaused ? Play : Pause;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="min-w-0 grow basis-60">
        <p role="status" className={classNames("font-semibold", isPaused && "text-warn")}>
          {stateText(running, waiting, isPaused)}
        </p>
        <p className="text-sm text-muted figures">
          {timeText(running + waiting, secondsLeft, isPaused)}
        </p>
      </div>
      <Form method="post" preventScrollReset>
        <Button
          name="intent"
          value={intent}
          variant={isPaused ? "primary" : "secondary"}
          busy={busy?.get("intent") === intent}
          busyLabel={isPaused ? "Resuming…" : "Pausing…"}
        >
          <Icon aria-hidden="true" className="size-4" />
          {isPaused ? "Resume" : "Pause all"}
        </Button>
      </Form>
    </div>
  );
}

function stateText(running: number, waiting: number, isPaused: boolean): string {
  const jobs = formatQuantity(running + waiting, "job");
  if (isPaused) return `Processing is paused.${running + waiting > 0 ? ` ${jobs} left.` : ""}`;
  if (running > 0) return `Processing ${jobs}`;
  return waiting > 0 ? "Starting…" : "All done";
}

function timeText(left: number, seconds: number | null, isPaused: boolean) {
  if (left === 0) return null;
  if (seconds === null) return "Estimating time remaining…";
  return `About ${formatSpan(seconds)} remaining${isPaused ? " once processing resumes" : ""}.`;
}

/** Links that filter the jobs by state. */
function QueueFilters({ view, counts }: { view: QueueView; counts: QueuePage["counts"] }) {
  const all = [undefined, ...QUEUE_STATES] as const;
  return (
    <nav aria-label="Filter jobs" className="-mx-1 flex flex-wrap gap-1 text-sm">
      {all.map((state) => {
        const isCurrent = view.video === undefined && view.state === state;
        const count = state && counts[state];
        return (
          <PageLink
            key={state ?? "all"}
            to={queueHref({ state })}
            aria-current={isCurrent ? "page" : undefined}
            className={classNames(
              "inline-flex min-h-11 items-center gap-1.5 rounded-md px-3 figures hover:bg-raised hover:text-ink",
              isCurrent ? "bg-raised font-medium text-ink" : "text-muted",
            )}
          >
            {state ? QUEUE_STATE_LABELS[state] : "Unfinished"}
            {count !== undefined && (
              <span className="text-muted">{count.toLocaleString("en")}</span>
            )}
          </PageLink>
        );
      })}
    </nav>
  );
}
