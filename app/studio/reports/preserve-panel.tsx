import { Form } from "@remix-run/react";
import { Time } from "~/account/session-list";
import { Button } from "~/ui/button";
import { PageSection } from "../page-section";
import { usePermissions } from "../use-permissions";
import type { ReportPage } from "./report-page.server";

/** Keeps everything about a report for a year, and hands it out to an owner as one file. */
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
            The videos with all their files, and everything written about this report, are preserved
            until <Time value={preservedUntil} />. Until then nothing removes them, whoever orders
            it.
          </>
        ) : (
          "“Preserve” keeps the videos with all their files, and everything written about this report, for a year, as authorities may ask for. Until then nothing removes them, whoever orders it."
        )}
      </p>
      <div className="flex flex-wrap gap-3">
        <Form method="post" preventScrollReset>
          <Button name="intent" value="preserve" variant="secondary">
            {preservedUntil ? "Preserve for a year from now" : "Preserve"}
          </Button>
        </Form>
        {allows("/admin/reports/:id/archive") && (
          <Form
            method="post"
            action={`/admin/reports/${encodeURIComponent(report.id)}/archive`}
            reloadDocument
          >
            <Button variant="secondary">Download everything</Button>
          </Form>
        )}
      </div>
      {preservedUntil && allows("/admin/reports/:id end-preservation") && (
        <details className="rounded-lg border border-line px-4 py-1">
          <summary className="cursor-pointer py-3 text-sm font-medium">
            End the preservation
          </summary>
          <Form
            method="post"
            preventScrollReset
            className="flex flex-col items-start gap-4 pt-1 pb-3"
          >
            <p className="text-sm text-muted">
              What waits to be removed is removed then, such as videos that were deleted for good in
              the meantime.
            </p>
            <Button name="intent" value="end-preservation" variant="danger">
              Yes, end it
            </Button>
          </Form>
        </details>
      )}
    </PageSection>
  );
}
