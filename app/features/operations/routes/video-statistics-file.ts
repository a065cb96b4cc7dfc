import type { LoaderFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { ownVideosOf } from "~/features/permissions/permissions";
import { dropOff } from "../statistics/statistics";
import { csvResponse, readVideoStatistics } from "../statistics/statistics.server";

const PERMISSION = "/admin/videos/:id/statistics/:file";

/** Serves a video's statistics as CSV. The views by day start on the day of the first view. */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  const user = await requirePermission(request, PERMISSION);
  const { id = "", file } = params;
  const statistics = await readVideoStatistics(id, {
    uploadedBy: ownVideosOf(user, PERMISSION)?.userId,
  });
  if (statistics && file === "views-by-day.csv") {
    const rows = statistics.days.map(({ day, views }) => [day, views]);
    return csvResponse(file, ["day", "views"], rows);
  }
  if (statistics && file === "watched-parts.csv") {
    const { watched } = statistics;
    const header = ["from percent", "to percent", "views", "views with playback", "share"];
    const rows = dropOff(watched).map(({ from, to, views, share }) => [
      from,
      to,
      views,
      watched.views,
      Number(share.toFixed(4)),
    ]);
    return csvResponse(file, header, rows);
  }
  throw new Response(null, { status: 404, statusText: "Not Found" });
}
