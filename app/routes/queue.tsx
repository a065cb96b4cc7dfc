import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requirePermission } from "~/account/guard.server";
import { useLiveRefresh } from "~/live/use-live-refresh";
import { WITHOUT_FFMPEG } from "~/media/jobs/kinds";
import { retry } from "~/media/jobs/queue.server";
import { QueueList } from "~/media/jobs/queue-list";
import { queueView } from "~/media/jobs/summaries.server";
import { unlessBusy } from "~/server/busy.server";
import { requireOwnOrigin } from "~/server/origin.server";
import { readSmallForm } from "~/server/small-form.server";
import { redirectWithToast } from "~/server/toast.server";
import { AdminLinks } from "~/studio/admin-navigation";

export const meta: MetaFunction = () => [
  { title: "Video Queue" },
  { name: "robots", content: "noindex" },
];

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/queue");
  return { queue: await queueView() };
}

export async function action({ request }: ActionFunctionArgs) {
  await requirePermission(request, "/admin/queue");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const id = String(form.get("id") ?? "");
  if (form.get("intent") !== "retry" || !/^\d*$/.test(id)) {
    throw new Response(null, { status: 400, statusText: "Bad Request" });
  }
  const started = await unlessBusy(retry(id === "" ? undefined : Number(id)));
  return redirectWithToast("/admin/queue", {
    title: "Queue",
    description: started > 0 ? "It is tried again." : "There was nothing to try again.",
    kind: "success",
  });
}

export default function Queue() {
  const { queue } = useLoaderData<typeof loader>();
  useLiveRefresh({ jobs: true });
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Video Queue</h1>
        <AdminLinks />
      </header>
      {!queue.ffmpeg && (
        <p role="status" className="rounded-lg border border-line bg-surface p-4 text-sm">
          {WITHOUT_FFMPEG}
        </p>
      )}
      {queue.ffmpeg && queue.diskFull && (
        <p role="status" className="rounded-lg border border-line bg-surface p-4 text-sm text-bad">
          The disk is nearly full. The queue waits until there is room.
        </p>
      )}
      <QueueList queue={queue} />
    </div>
  );
}
