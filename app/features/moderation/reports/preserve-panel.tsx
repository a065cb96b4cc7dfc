import { Form } from "@remix-run/react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { Button } from "~/ui/button";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import type { ReportPage } from "./report-page.server";

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
            The videos with all their files, and everything written about this report, are preserved
            until <Time value={preservedUntil} />. Nobody can delete them before that date.
          </>
        ) : (
          "Preserving keeps the videos with all their files, and everything written about this report, for one year, for example because the authorities ask for it. Nobody can delete them during that time."
        )}
      </p>
      <div className="flex flex-wrap gap-3">
        <Form method="post" preventScrollReset>
          <Button name="intent" value="preserve" variant="secondary">
            {preservedUntil ? "Extend to a year from now" : "Preserve"}
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
            Stop preserving this report
          </summary>
          <Form
            method="post"
            preventScrollReset
            className="flex flex-col items-start gap-4 pt-1 pb-3"
          >
            <p className="text-sm text-muted">
              Anything that was due to be deleted in the meantime is then deleted, such as videos
              that have been in the trash for more than 30 days.
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
