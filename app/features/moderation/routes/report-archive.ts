import type { ActionFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { streamBody } from "~/platform/node/stream-body.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { transaction } from "~db/client.server";
import { reportArchive } from "../reports/report-archive.server";
import { readReport } from "../reports/report-records.server";

/**
 * Serves a report's archive as a download, for owners. Only POST is allowed, because each download adds an entry to the
 * log.
 */
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
