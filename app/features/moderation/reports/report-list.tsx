import { Form, Link } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { SelectField } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import type { ReportState } from "~db/schema/moderation";
import { CLOSED_LABELS, KIND_LABELS, STATE_LABELS } from "./decisions";
import type { QueuedReport, QueueView } from "./queue.server";

/** The address of a part of the queue. */
export function queueHref({ state, kind, after }: QueueView): string {
  const params = new URLSearchParams();
  if (state !== "open") params.set("state", state);
  if (kind) params.set("kind", kind);
  if (after) params.set("after", after);
  const query = params.toString();
  return query ? `/admin/reports?${query}` : "/admin/reports";
}

/** Links to the states, and the choice of a kind. */
export function QueueFilter({ view }: { view: QueueView }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-4">
      <nav aria-label="States of reports" className="flex flex-wrap gap-x-4 border-b border-line">
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
          {Object.entries(KIND_LABELS).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </SelectField>
        <Button variant="secondary">Show</Button>
      </Form>
    </div>
  );
}

/** A page of the queue. */
export function ReportList({ reports }: { reports: QueuedReport[] }) {
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
                {KIND_LABELS[report.kind]}: <bdi>{report.title ?? "no video on this site"}</bdi>
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

/** How long there is to decide, or what was decided. */
export function Deadline({
  report,
}: {
  report: Pick<QueuedReport, "state" | "decision" | "left">;
}) {
  if (report.state === "closed") {
    return <Badge tone="good">{CLOSED_LABELS[report.decision ?? "keep"]}</Badge>;
  }
  return (
    <p className="flex flex-wrap items-center gap-2">
      {report.state === "asked" && <Badge>{STATE_LABELS.asked}</Badge>}
      <Badge tone={report.left.isOver ? "accent" : "warn"}>{report.left.text}</Badge>
    </p>
  );
}
