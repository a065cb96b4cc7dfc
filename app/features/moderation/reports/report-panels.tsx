import { Link } from "@remix-run/react";
import { DELETED_ACCOUNT } from "~/platform/activity/activity-labels";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { CLOSED_LABELS, KIND_LABELS, LOG_LABELS, STATE_LABELS } from "./decisions";
import type { ReportPage } from "./report-page.server";

/** The text of the report. */
export function Statement({ report }: Pick<ReportPage, "report">) {
  const { box } = report;
  return (
    <PageSection id="statement" title="What was reported">
      {box === null ? (
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
      ) : typeof box === "string" ? (
        <p className="text-sm text-muted">
          The text of this report can’t be read because it was encrypted with another
          SESSION_SECRET. Nothing is lost: add the earlier secret to SESSION_SECRET to read it.
        </p>
      ) : (
        <dl className="flex flex-col gap-3 text-sm">
          <Typed
            term="By"
            text={[box.name || "No name given", box.email].filter(Boolean).join(", ")}
          />
          <Typed term="Where" text={box.where} />
          <Typed term="What" text={box.what} />
          <Typed term="Confirmed" text={box.statements.join("\n")} />
        </dl>
      )}
    </PageSection>
  );
}

function Typed({ term, text }: { term: string; text: string }) {
  return (
    <div>
      <dt className="text-muted">{term}</dt>
      <dd dir="auto" className="wrap-anywhere whitespace-pre-line">
        {text || "Nothing"}
      </dd>
    </div>
  );
}

const AUTHORS = { reporter: "The reporter", moderator: "A moderator", site: "The site" } as const;

/** What was written, and what was decided. */
export function Course({ messages, entries }: Pick<ReportPage, "messages" | "entries">) {
  return (
    <PageSection id="course" title="Messages and decisions">
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

/** Other reports of the same videos, and of the same uploader. */
export function EarlierReports({ earlier }: Pick<ReportPage, "earlier">) {
  return (
    <PageSection id="earlier" title="Other reports">
      {earlier.length === 0 && (
        <p className="text-sm text-muted">
          No other reports about these videos or their uploaders.
        </p>
      )}
      {earlier.length > 0 && (
        <ul className="flex flex-col text-sm">
          {earlier.map((each) => (
            <li key={each.id} className="flex flex-wrap items-center gap-x-3">
              <Link
                to={`/admin/reports/${encodeURIComponent(each.id)}`}
                className="inline-flex min-h-11 items-center underline underline-offset-4"
              >
                {KIND_LABELS[each.kind]}, {each.isOfVideo ? "same video" : "same uploader"}
              </Link>
              <span className="text-muted figures">
                <Time value={each.receivedAt} />
                {", "}
                {each.state === "closed" && each.decision
                  ? CLOSED_LABELS[each.decision]
                  : STATE_LABELS[each.state]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </PageSection>
  );
}
