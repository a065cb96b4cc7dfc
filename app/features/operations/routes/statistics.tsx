import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { allows } from "~/features/permissions/permissions";
import { reencodeOutdatedStreams } from "~/features/processing/queue/enqueue.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { createActivityRecorder } from "~/platform/activity/activity.server";
import { unlessBusy } from "~/platform/busy.server";
import { failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { categoryLabel } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import {
  type PeriodDays,
  readPeriod,
  statisticsFileHref,
  statisticsHref,
  videoStatisticsHref,
} from "~/shared/statistics-address";
import { success } from "~/ui/feedback/toast-message";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { BackupLine } from "../backups/backup-panel";
import { lastVerifiedAt } from "../backups/backups-page.server";
import { byteUnit, RowChart } from "../statistics/chart";
import { readDiskStatistics, readTransfer } from "../statistics/daily-records.server";
import type { Statistics } from "../statistics/statistics";
import { readSourceStatistics, readStatistics } from "../statistics/statistics.server";
import {
  COMPACT_NUMBER,
  NUMBER,
  PeriodLinks,
  StatisticsFailure,
  ViewsByDay,
} from "../statistics/statistics-panels";
import { DiskPanel, SourcePanel, TransferByDay } from "../statistics/storage-panels";

export const meta = privateMeta("Statistics");

export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requirePermission(request, "/admin/statistics");
  const backups = allows(user, "/admin/backups")
    ? { lastVerifiedAt: await lastVerifiedAt(), now: Date.now() }
    : undefined;
  const period = readPeriod(new URL(request.url).searchParams);
  try {
    const statistics = await readStatistics(period);
    const sources = await readSourceStatistics();
    const transfer = readTransfer(period);
    return { period, backups, statistics, sources, transfer, disk: await readDiskStatistics() };
  } catch (error) {
    console.error(error);
    const { status, toast } = failure(500, "Failed to fetch statistics.");
    return data({ period, backups, toast }, { status });
  }
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/statistics");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  if (form.get("intent") !== "convert-again") {
    throw new Response(null, { status: 400, statusText: "Bad Request" });
  }
  const recordPart = createActivityRecorder();
  const record = (count: number) =>
    recordPart({
      userId: user.id,
      action: "convert-again",
      detail: formatQuantity(count, "video"),
    });
  const videos = await unlessBusy(reencodeOutdatedStreams(record));
  return redirectWithToast(
    statisticsHref(readPeriod(new URL(request.url).searchParams)),
    success(
      "Processing",
      videos > 0
        ? `Queued ${formatQuantity(videos, "video")} for re-encoding.`
        : "There are no videos to re-encode.",
    ),
  );
}

export default function StatisticsPage() {
  useLiveRefresh();
  const loaded = useLoaderData<typeof loader>();
  const { period, backups } = loaded;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Statistics</h1>
        <AdminLinks />
      </header>
      <PeriodLinks period={period} hrefFor={statisticsHref} />
      {"statistics" in loaded ? (
        <>
          <Charts period={period} statistics={loaded.statistics} />
          <TransferByDay
            transfer={loaded.transfer}
            period={period}
            csv={statisticsFileHref("transfer-by-day", period)}
          />
          <DiskPanel disk={loaded.disk} csv={statisticsFileHref("disk", period)} />
          <SourcePanel figures={loaded.sources} action={statisticsHref(period)} />
        </>
      ) : (
        <StatisticsFailure toast={loaded.toast} retry={statisticsHref(period)} />
      )}
      {backups && <BackupLine {...backups} />}
    </div>
  );
}

function Charts({ period, statistics }: { period: PeriodDays; statistics: Statistics }) {
  const { days, videos, storage } = statistics;
  const bytes = storage.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <>
      <ViewsByDay days={days} period={period} csv={statisticsFileHref("views-by-day", period)} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <RowChart
          title="Views by video"
          summary={`The most viewed videos in the last ${period} days.`}
          headings={["Video", "Views"]}
          csv={statisticsFileHref("views-by-video", period)}
          format={COMPACT_NUMBER.format}
          empty="No views in this period."
          bars={videos.map(({ id, title, views }) => ({
            label: title,
            value: views,
            text: NUMBER.format(views),
            href: videoStatisticsHref(id, period),
          }))}
        />
        <RowChart
          title="Storage by category"
          summary={`${formatStorage(bytes)} in total, including derived files.`}
          headings={["Category", "Storage"]}
          csv={statisticsFileHref("storage-by-category", period)}
          format={formatStorage}
          unit={byteUnit(Math.max(0, ...storage.map(({ bytes }) => bytes)))}
          empty="No videos yet."
          bars={storage.map(({ category, bytes, videos }) => ({
            label: `${categoryLabel(category)} (${NUMBER.format(videos)})`,
            value: bytes,
            text: formatStorage(bytes),
          }))}
        />
      </div>
    </>
  );
}
