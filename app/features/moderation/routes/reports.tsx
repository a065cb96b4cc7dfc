import type { LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { Flag } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { EmptyState } from "~/ui/empty-state";
import { Options, SelectField } from "~/ui/forms/field";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { Time } from "~/ui/time";
import type { ReportState } from "~db/schema/moderation";
import { KIND_LABELS, STATE_LABELS } from "../reports/decisions";
import {
  type QueuedReport,
  type QueueView,
  readQueue,
  readQueueView,
} from "../reports/queue.server";
import { Deadline } from "../reports/report-panels";
import { SafetyLinks } from "../reports/safety-links";

export const meta = privateMeta("Reports");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/reports");
  const view = readQueueView(new URL(request.url).searchParams);
  return { view, ...readQueue(view) };
}

const EMPTY = {
  open: "No open reports.",
  asked: "No reports are waiting for the reporter’s answer.",
  closed: "No closed reports yet.",
};

export default function Reports() {
  useLiveRefresh({ jobs: true });
  const { view, reports, next, open } = useLoaderData<typeof loader>();
  return (
    <AdminPage
      title="Reports"
      lead={`${open === 1_000 ? "1,000 or more open reports" : formatQuantity(open, "open report")}, sorted by deadline.`}
    >
      <SafetyLinks />
      <QueueFilter view={view} />
      {reports.length === 0 ? (
        <EmptyState icon={<Flag />} title={view.after ? "No more reports." : EMPTY[view.state]} />
      ) : (
        <ReportList reports={reports} />
      )}
      {(next || view.after) && (
        <nav aria-label="Pages of reports" className="flex flex-wrap justify-center gap-6">
          {view.after && <PageOfReports view={{ ...view, after: undefined }} label="First page" />}
          {next && <PageOfReports view={{ ...view, after: next }} label="Next page" />}
        </nav>
      )}
    </AdminPage>
  );
}

function PageOfReports({ view, label }: { view: QueueView; label: string }) {
  return (
    <Link
      to={queueHref(view)}
      className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
    >
      {label}
    </Link>
  );
}

function queueHref({ state, kind, after }: QueueView): string {
  const params = new URLSearchParams();
  if (state !== "open") params.set("state", state);
  if (kind) params.set("kind", kind);
  if (after) params.set("after", after);
  const query = params.toString();
  return query ? `/admin/reports?${query}` : "/admin/reports";
}

function QueueFilter({ view }: { view: QueueView }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-4">
      <nav aria-label="Report status" className="flex flex-wrap gap-x-4 border-b border-line">
        {(Object.keys(STATE_LABELS) as ReportState[]).map((state) => (
          <Link
            key={state}
            to={queueHref({ ...view, state, after: undefined })}
            aria-current={state === view.state ? "page" : undefined}
            className={classNames(
              "-mb-px inline-flex min-h-11 items-center border-b-2 text-sm font-medium",
              state === view.state
                ? "border-accent text-ink"
                : "border-transparent text-muted hover:text-ink",
            )}
          >
            {STATE_LABELS[state]}
          </Link>
        ))}
      </nav>
      <Form action="/admin/reports" className="flex flex-wrap items-end gap-3">
        {view.state !== "open" && <input type="hidden" name="state" value={view.state} />}
        <SelectField label="Kind of report" name="kind" key={view.kind} defaultValue={view.kind}>
          <option value="">All kinds</option>
          <Options labels={KIND_LABELS} />
        </SelectField>
        <Button variant="secondary">Apply</Button>
      </Form>
    </div>
  );
}

function ReportList({ reports }: { reports: QueuedReport[] }) {
  return (
    <ul aria-label="Reports" className="ruled rounded-lg border border-line bg-surface">
      {reports.map((report) => (
        <li key={report.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 p-3 sm:px-4">
          <div className="min-w-0 grow basis-60">
            <Link
              to={`/admin/reports/${encodeURIComponent(report.id)}`}
              className="inline-flex min-h-11 items-center font-medium underline-offset-4 hover:underline wrap-anywhere"
            >
              <span>
                {KIND_LABELS[report.kind]}: <bdi>{report.title ?? "video not identified"}</bdi>
                {report.videos > 1 && ` and ${report.videos - 1} more`}
              </span>
            </Link>
            <p className="text-sm text-muted figures">
              Received <Time value={report.receivedAt} />
            </p>
          </div>
          <Deadline report={report} />
        </li>
      ))}
    </ul>
  );
}
