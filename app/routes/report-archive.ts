import type { ActionFunctionArgs } from "@remix-run/node";
import { recordActivity } from "~/account/activity.server";
import { requirePermission } from "~/account/guard.server";
import { streamBody } from "~/server/node/stream-body.server";
import { requireOwnOrigin } from "~/server/origin.server";
import { reportArchive } from "~/studio/reports/report-archive.server";
import { appendToLog } from "~/trust/moderation-log.server";
import { readReport } from "~/trust/reports/report-records.server";
import { transaction } from "~db/client.server";

/** Downloads everything about a report, for owners. POST only, so that the log has an entry for each download. */
export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/reports/:id/archive");
  requireOwnOrigin(request);
  const { id: reportId = "" } = params;
  const report = readReport(reportId);
  if (!report) throw new Response(null, { status: 404, statusText: "Not Found" });
  await transaction(() => appendToLog({ action: "export", reportId, userId: user.id }));
  await transaction(() => recordActivity({ userId: user.id, action: "report-export" }));
  const archive = await reportArchive(report);
  return new Response(await streamBody(async () => archive), {
    headers: {
      "Content-Type": "application/zip",
      "Content-Disposition": `attachment; filename="report-${reportId.replace(/[^\w-]/g, "")}.zip"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });
}
