import type { LoaderFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { readPeriod } from "~/shared/statistics-address";
import { readDiskDays } from "../statistics/disk-days.server";
import { csvAnswer, readStatistics } from "../statistics/statistics.server";
import { readTransferDays } from "../statistics/transfer-days.server";

/** The tables of the page of statistics, as CSV, of the same period; of the disk and the transfer all that is recorded. */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  await requirePermission(request, "/admin/statistics/:file");
  const { file } = params;
  const read = () => readStatistics(readPeriod(new URL(request.url).searchParams));
  if (file === "views-by-day.csv") {
    const { days } = await read();
    return csvAnswer(file, ["day", "views"], days, ({ day, views }) => [day, views]);
  }
  if (file === "views-by-video.csv") {
    const { videos } = await read();
    const header = ["id", "title", "views"];
    return csvAnswer(file, header, videos, ({ id, title, views }) => [id, title, views]);
  }
  if (file === "storage-by-category.csv") {
    const { storage } = await read();
    const header = ["category", "videos", "bytes"];
    return csvAnswer(file, header, storage, ({ category, videos, bytes }) => [
      category,
      videos,
      bytes,
    ]);
  }
  if (file === "transfer-by-day.csv") {
    const days = readTransferDays();
    return csvAnswer(file, ["day", "bytes"], days, ({ day, bytes }) => [day, bytes]);
  }
  if (file === "disk.csv") {
    const header = ["day", "used bytes", "free bytes"];
    return csvAnswer(file, header, readDiskDays(), ({ day, used, free }) => [day, used, free]);
  }
  throw new Response(null, { status: 404, statusText: "Not Found" });
}
