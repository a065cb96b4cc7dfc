import type { LoaderFunctionArgs } from "@remix-run/node";
import { recordActivity } from "~/account/activity.server";
import { requirePermission } from "~/account/guard.server";
import { streamOf } from "~/import/stream-of.server";
import { exportBlockList } from "~/media/block-list/list-file.server";
import { transaction } from "~db/client.server";

/** The block list as JSON lines: hashes alone. */
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
