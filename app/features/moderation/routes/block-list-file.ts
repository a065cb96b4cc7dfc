import type { LoaderFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { exportBlockList } from "~/features/processing/comparison/list-file.server";
import { streamOf } from "~/features/upload/import/stream-of.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { transaction } from "~db/client.server";

/** Serves the block list as a download in JSON Lines format. It contains only hashes, reasons and times. */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const user = await requirePermission(request, "/admin/block-list/:file");
  if (params.file !== "block-list.jsonl") {
    throw new Response(null, { status: 404, statusText: "Not Found" });
  }
  await transaction(() => recordActivity({ userId: user.id, action: "block-export" }));
  return new Response(streamOf(exportBlockList()), {
    headers: {
      "Content-Type": "application/jsonl",
      "Content-Disposition": 'attachment; filename="block-list.jsonl"',
      "Cache-Control": "no-store",
    },
  });
}
