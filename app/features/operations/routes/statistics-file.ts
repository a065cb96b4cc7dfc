import type { LoaderFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { readPeriod } from "~/shared/statistics-address";
import { readDiskDays, readTransferDays } from "../statistics/daily-records.server";
import { csvResponse, readStatistics } from "../statistics/statistics.server";

/**
 * Serves the statistics page's tables as CSV, for the same period. The tables for disk and transfer include all
 * records.
 */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  await requirePermission(request, "/admin/statistics/:file");
  const { file } = params;
  const read = () => readStatistics(readPeriod(new URL(request.url).searchParams));
  const answer = (header: string[], rows: (string | number)[][]) =>
    csvResponse(file ?? "", header, rows);
  switch (file) {
    case "views-by-day.csv":
      return answer(
        ["day", "views"],
        (await read()).days.map(({ day, views }) => [day, views]),
      );
    case "views-by-video.csv":
      return answer(
        ["id", "title", "views"],
        (await read()).videos.map(({ id, title, views }) => [id, title, views]),
      );
    case "storage-by-category.csv":
      return answer(
        ["category", "videos", "bytes"],
        (await read()).storage.map(({ category, videos, bytes }) => [category, videos, bytes]),
      );
    case "transfer-by-day.csv":
      return answer(
        ["day", "bytes"],
        readTransferDays().map(({ day, bytes }) => [day, bytes]),
      );
    case "disk.csv":
      return answer(
        ["day", "used bytes", "free bytes"],
        readDiskDays().map(({ day, used, free }) => [day, used, free]),
      );
  }
  throw new Response(null, { status: 404, statusText: "Not Found" });
}
