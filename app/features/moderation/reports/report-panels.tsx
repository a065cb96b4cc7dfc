import { Form, Link } from "@remix-run/react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { DELETED_ACCOUNT } from "~/platform/activity/activity-labels";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { CLOSED_LABELS, KIND_LABELS, LOG_LABELS, STATE_LABELS } from "./decisions";
import type { QueuedReport } from "./queue.server";
import type { OtherReport, ReporterData, ReportPage } from "./report-page.server";

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

export function ReportText({ report }: Pick<ReportPage, "report">) {
  const { payload } = report;
  return (
    <PageSection id="statement" title="What was reported">
      {payload === null ? (
        <p className="text-sm text-muted">
          The text of this report was deleted
          {report.erasedAt && (
            <>
              {" "}
              on <Time value={report.erasedAt} />
            </>
          )}
          .
        </p>
      ) : typeof payload === "string" ? (
        <p className="text-sm text-muted">
          The text of this report can’t be read because it was encrypted with another
          SESSION_SECRET. Nothing is lost: add the earlier secret to SESSION_SECRET to read it.
        </p>
      ) : (
        <dl className="flex flex-col gap-3 text-sm">
          <ReportField
            term="Reporter"
            text={[payload.name || "No name given", payload.email].filter(Boolean).join(", ")}
          />
          <ReportField term="Video links" text={payload.where} />
          <ReportField term="Description" text={payload.what} />
          <ReportField term="Confirmed" text={payload.statements.join("\n")} />
        </dl>
      )}
    </PageSection>
  );
}

function ReportField({ term, text }: { term: string; text: string }) {
  return (
    <div>
      <dt className="text-muted">{term}</dt>
      <dd dir="auto" className="wrap-anywhere whitespace-pre-line">
        {text || "None"}
      </dd>
    </div>
  );
}

const AUTHORS = { reporter: "Reporter", moderator: "Moderator", site: "Site" } as const;

export function ReportHistory({ messages, entries }: Pick<ReportPage, "messages" | "entries">) {
  return (
    <PageSection id="history" title="Messages and decisions">
      {messages.length + entries.length === 0 && (
        <p className="text-sm text-muted">No messages or decisions yet.</p>
      )}
      {messages.length > 0 && (
        <ol aria-label="Messages" className="flex flex-col gap-3 text-sm">
          {messages.map(({ id, author, sentAt, text }) => (
            <li key={id}>
              <p className="text-muted">
                {AUTHORS[author]}, <Time value={sentAt} />
              </p>
              <p dir="auto" className="wrap-anywhere whitespace-pre-line">
                {text ?? "This message can’t be read with the current SESSION_SECRET."}
              </p>
            </li>
          ))}
        </ol>
      )}
      {entries.length > 0 && (
        <ol aria-label="Decisions" className="flex flex-col gap-1 text-sm text-muted">
          {entries.map(({ id, at, action, userId, email }) => (
            <li key={id} className="wrap-anywhere">
              <Time value={at} />: {email ?? (userId ? DELETED_ACCOUNT : "The site")}{" "}
              {LOG_LABELS[action] ?? action}
            </li>
          ))}
        </ol>
      )}
    </PageSection>
  );
}

export function EarlierReports({ earlier }: Pick<ReportPage, "earlier">) {
  return (
    <PageSection id="earlier" title="Other reports">
      {earlier.length === 0 && (
        <p className="text-sm text-muted">
          No other reports about these videos or their uploaders.
        </p>
      )}
      {earlier.length > 0 && (
        <ReportLinks
          reports={earlier}
          about={({ isOfVideo }) => (isOfVideo ? ", same video" : ", same uploader")}
        />
      )}
    </PageSection>
  );
}

/** The data about a reporter, with a button that deletes the data on the reporter's request. */
export function ReporterDataPanel({
  report,
  data,
}: Pick<ReportPage, "report"> & { data: ReporterData }) {
  const isErased = report.erasedAt !== null;
  const { until, messages, mails, hasAddress, others } = data;
  return (
    <PageSection id="reporter-data" title="Data about the reporter">
      {isErased ? (
        <p className="text-sm">
          The text was deleted. The remaining data is anonymous: the kind of report, its dates, its
          videos and the decisions.
        </p>
      ) : (
        <p className="text-sm figures">
          The text above is stored encrypted
          {messages > 0 && `, with ${formatQuantity(messages, "message")}`}
          {mails > 0 && `, and ${formatQuantity(mails, "email")} waiting to be sent`}.{" "}
          {until ? (
            <>
              It will be deleted automatically on <Time value={until} />.
            </>
          ) : (
            "It will be deleted automatically some time after the report is closed."
          )}{" "}
          The reporter’s IP address, cookies and browser details aren’t stored.
        </p>
      )}
      {others?.length === 0 && (
        <p className="text-sm">No other report was sent with this email address.</p>
      )}
      {others && others.length > 0 && (
        <ReportLinks reports={others} label="Other reports by this reporter" />
      )}
      {hasAddress && !others && (
        <ButtonLink to="?reporter" preventScrollReset variant="secondary" className="self-start">
          Find other reports by this reporter
        </ButtonLink>
      )}
      {report.state === "closed" && !isErased && (
        <Form method="post" preventScrollReset className="flex flex-col gap-3">
          <p className="text-sm text-muted">
            Permanently deletes the report’s text and messages. The decisions are kept. Earlier
            backups still contain the encrypted text until they are deleted.
          </p>
          <Button name="intent" value="erase" variant="danger" className="self-start">
            Delete report text
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

function ReportLinks<R extends OtherReport>({
  reports,
  label,
  about,
}: {
  reports: R[];
  label?: string;
  about?: (report: R) => string;
}) {
  return (
    <ul aria-label={label} className="flex flex-col text-sm">
      {reports.map((report) => (
        <li key={report.id} className="flex flex-wrap items-center gap-x-3">
          <Link
            to={`/admin/reports/${encodeURIComponent(report.id)}`}
            className="inline-flex min-h-11 items-center underline underline-offset-4"
          >
            {KIND_LABELS[report.kind]}
            {about?.(report)}
          </Link>
          <span className="text-muted figures">
            <Time value={report.receivedAt} />
            {", "}
            {report.state === "closed" && report.decision
              ? CLOSED_LABELS[report.decision]
              : STATE_LABELS[report.state]}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Preserves everything about a report for a year. Owners can download it as one file. */
export function PreservePanel({
  report,
  preservedUntil,
}: Pick<ReportPage, "report" | "preservedUntil">) {
  const allows = usePermissions();
  return (
    <PageSection id="preserve" title="Evidence">
      <p className="text-sm figures">
        {preservedUntil ? (
          <>
            The videos, all their files and all messages of this report are preserved until{" "}
            <Time value={preservedUntil} />. Nobody can delete them before that date.
          </>
        ) : (
          "Preserving keeps the videos, all their files and all messages of this report for one year, for example at the request of the authorities. Nobody can delete them during that time."
        )}
      </p>
      <div className="flex flex-wrap gap-3">
        <Form method="post" preventScrollReset>
          <Button name="intent" value="preserve" variant="secondary">
            {preservedUntil ? "Extend to one year from now" : "Preserve evidence"}
          </Button>
        </Form>
        {allows("/admin/reports/:id/archive") && (
          <Form
            method="post"
            action={`/admin/reports/${encodeURIComponent(report.id)}/archive`}
            reloadDocument
          >
            <Button variant="secondary">Download archive</Button>
          </Form>
        )}
      </div>
      {preservedUntil && allows("/admin/reports/:id end-preservation") && (
        <details className="rounded-lg border border-line px-4 py-1">
          <summary className="cursor-pointer py-3 text-sm font-medium">
            Stop preserving this report
          </summary>
          <Form
            method="post"
            preventScrollReset
            className="flex flex-col items-start gap-4 pt-1 pb-3"
          >
            <p className="text-sm text-muted">
              Anything that became due for deletion in the meantime will then be deleted, such as
              videos that have been in the trash for more than 30 days.
            </p>
            <Button name="intent" value="end-preservation" variant="danger">
              Stop preserving
            </Button>
          </Form>
        </details>
      )}
    </PageSection>
  );
}
