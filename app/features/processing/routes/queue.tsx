import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { Pager } from "~/features/catalogue/lists/pager";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { codecsSwitchedOff, extraCodecs } from "~/media/encode/codecs/extra-codecs.server";
import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { WITHOUT_FFMPEG } from "~/media/probe/without-ffmpeg";
import { type Failure, failure, GONE } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { redirectWithToast } from "~/platform/toast.server";
import { EXTRA_CODECS } from "~/shared/streams/codecs";
import { AnswerFailure, FailureNotice } from "~/ui/feedback/failure-notice";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { queryThread } from "~db/threads/query-thread.server";
import { pausedSince } from "../queue/pause.server";
import { queueHref, readQueueView } from "../screens/queue-address";
import { QueueFilters, QueueHead } from "../screens/queue-head";
import { QueueLists } from "../screens/queue-list";
import type { QueuePage } from "../screens/queue-page.server";
import { QueueWorkers } from "../workers/worker-list";
import { listWorkers } from "../workers/workers.server";
import { performQueue } from "./queue-action.server";

export const meta = privateMeta("Video Queue");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/queue");
  const view = readQueueView(new URL(request.url).searchParams);
  const atOnce = settings().encoderConcurrency;
  const queue = await queryThread<QueuePage>("studio", "queue", { view, atOnce });
  const page = {
    view: { ...view, page: queue.page },
    queue,
    pausedSince: pausedSince(),
    diskFull: !(await hasFreeDiskSpace()),
    ffmpeg: ffmpegAvailable(),
    workers: await listWorkers(),
    now: Date.now(),
    codecs: extraCodecs().map((codec) => EXTRA_CODECS[codec].label),
    codecsOff: ffmpegAvailable() ? codecsSwitchedOff() : [],
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
  const busy = useNavigation().formData;
  const here = queueHref(view);
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Video Queue</h1>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      {!ffmpeg && <Notice>{WITHOUT_FFMPEG}</Notice>}
      {ffmpeg && diskFull && (
        <Notice isBad>The disk is nearly full. The queue waits until there is room.</Notice>
      )}
      {codecsOff.length > 0 && <Notice>{codecsOff.join(" ")}</Notice>}
      <QueueHead queue={queue} pausedSince={pausedSince} action={here} busy={busy} />
      <QueueFilters view={view} counts={queue.counts} />
      {queue.video === null ? (
        <FailureNotice toast={failure(404, GONE).toast} />
      ) : (
        <QueueLists view={view} queue={queue} codecs={codecs} action={here} busy={busy} />
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
