import { Form, Link } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { CLOSED_LABELS, KIND_LABELS, STATE_LABELS } from "./decisions";
import type { KeptOfReporter, OwnReport } from "./kept-of-reporter.server";
import type { ReportPage } from "./report-page.server";

/** The data kept about a reporter, with the button that deletes it if the reporter asks. */
export function KeptOfReporterPanel({
  report,
  kept,
}: Pick<ReportPage, "report"> & { kept: KeptOfReporter }) {
  const isErased = report.erasedAt !== null;
  const { until, messages, mails, hasAddress, others } = kept;
  return (
    <PageSection id="kept" title="Data kept about the reporter">
      {isErased ? (
        <p className="text-sm">
          The text was deleted. What remains names nobody: the kind of report, its dates, its videos
          and the decisions.
        </p>
      ) : (
        <p className="text-sm figures">
          The text above is stored encrypted
          {messages > 0 && `, with ${formatQuantity(messages, "message")}`}
          {mails > 0 && `, and ${formatQuantity(mails, "email")} waiting to be sent`}.{" "}
          {until ? (
            <>
              It is deleted automatically on <Time value={until} />.
            </>
          ) : (
            "It is deleted automatically some time after the report is closed."
          )}{" "}
          No IP address, cookie or browser is recorded.
        </p>
      )}
      {others && <Others others={others} />}
      {hasAddress && !others && (
        <ButtonLink to="?reporter" preventScrollReset variant="secondary" className="self-start">
          Find other reports of this reporter
        </ButtonLink>
      )}
      {report.state === "closed" && !isErased && (
        <Form method="post" preventScrollReset className="flex flex-col gap-3">
          <p className="text-sm text-muted">
            Deletes the report’s text and messages for good. The decisions stay. Earlier backups
            still contain the encrypted text until they are deleted.
          </p>
          <Button name="intent" value="erase" variant="danger" className="self-start">
            Delete report text
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

function Others({ others }: { others: OwnReport[] }) {
  if (others.length === 0)
    return <p className="text-sm">No other report was sent with this email address.</p>;
  return (
    <ul aria-label="Other reports of this reporter" className="flex flex-col text-sm">
      {others.map(({ id, kind, state, decision, receivedAt }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3">
          <Link
            to={`/admin/reports/${encodeURIComponent(id)}`}
            className="inline-flex min-h-11 items-center underline underline-offset-4"
          >
            {KIND_LABELS[kind]}
          </Link>
          <span className="text-muted figures">
            <Time value={receivedAt} />
            {", "}
            {state === "closed" && decision ? CLOSED_LABELS[decision] : STATE_LABELS[state]}
          </span>
        </li>
      ))}
    </ul>
  );
}
