import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { Flag } from "lucide-react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { formatQuantity } from "~/shared/format";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { readQueue, readQueueView } from "../reports/queue.server";
import { QueueFilter, queueHref, ReportList } from "../reports/report-list";
import { SafetyLinks } from "../reports/safety-links";

export const meta = privateMeta("Reports");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/reports");
  const view = readQueueView(new URL(request.url).searchParams);
  return { view, ...readQueue(view) };
}

const EMPTY = {
  open: "No open reports.",
  asked: "No reports are waiting for the reporter.",
  closed: "No reports have been decided yet.",
};

export default function Reports() {
  useLiveRefresh({ jobs: true });
  const { view, reports, next, open } = useLoaderData<typeof loader>();
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">Reports</h1>
          <p className="text-sm text-muted">
            {open === 1_000
              ? "1,000 or more reports to decide"
              : `${formatQuantity(open, "report")} to decide`}
            . The next deadline comes first.
          </p>
        </div>
        <AdminLinks />
      </header>
      <SafetyLinks />
      <QueueFilter view={view} />
      {reports.length === 0 ? (
        <EmptyState icon={<Flag />} title={view.after ? "No more reports." : EMPTY[view.state]} />
      ) : (
        <ReportList reports={reports} />
      )}
      {(next || view.after) && (
        <nav aria-label="Pages of reports" className="flex flex-wrap justify-center gap-6">
          {view.after && (
            <Link
              to={queueHref({ ...view, after: undefined })}
              className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
            >
              First page
            </Link>
          )}
          {next && (
            <Link
              to={queueHref({ ...view, after: next })}
              rel="next"
              className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
            >
              Next page
            </Link>
          )}
        </nav>
      )}
    </div>
  );
}
