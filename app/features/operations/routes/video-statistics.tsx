import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { ownVideosOf } from "~/features/permissions/permissions";
import { AdminLinks } from "~/features/site/admin-navigation";
import { failure } from "~/platform/failure";
import { formatQuantity } from "~/shared/format";
import { readPeriod, videoStatisticsHref } from "~/shared/statistics-address";
import { StatusBadge } from "~/ui/badge";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import type { VideoStatistics } from "../statistics/statistics";
import { readVideoStatistics } from "../statistics/statistics.server";
import {
  DropOff,
  PeriodLinks,
  StatisticsFailure,
  ViewsByDay,
} from "../statistics/statistics-panels";

export const meta = privateMeta("Video statistics");

const PERMISSION = "/admin/videos/:id/statistics";

export async function loader({ request, params }: LoaderFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  const period = readPeriod(new URL(request.url).searchParams);
  const id = params.id ?? "";
  const uploadedBy = ownVideosOf(user, PERMISSION)?.userId;
  const statistics = await readVideoStatistics(id, { days: period, uploadedBy }).catch((error) => {
    console.error(error);
    return failure(500, "Failed to fetch statistics.");
  });
  if (!statistics) throw new Response(null, { status: 404, statusText: "Not Found" });
  if ("toast" in statistics) {
    return data({ id, period, toast: statistics.toast }, { status: statistics.status });
  }
  return { id, period, statistics };
}

export default function VideoStatisticsPage() {
  useLiveRefresh();
  const loaded = useLoaderData<typeof loader>();
  const { id, period } = loaded;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Video statistics</h1>
        <AdminLinks />
      </header>
      {"statistics" in loaded && <About video={loaded.statistics.video} />}
      <PeriodLinks period={period} hrefFor={(days) => videoStatisticsHref(id, days)} />
      {"statistics" in loaded ? (
        <>
          <ViewsByDay
            days={loaded.statistics.days}
            period={period}
            csv={`${videoStatisticsHref(id)}/views-by-day.csv`}
          />
          <DropOff
            watched={loaded.statistics.watched}
            csv={`${videoStatisticsHref(id)}/watched-parts.csv`}
          />
        </>
      ) : (
        <StatisticsFailure toast={loaded.toast} retry={videoStatisticsHref(id, period)} />
      )}
    </div>
  );
}

function About({ video: { id, title, status, held, views } }: Pick<VideoStatistics, "video">) {
  return (
    <div className="flex flex-col gap-2">
      <h2 dir="auto" className="text-lg font-semibold wrap-anywhere">
        {status === "published" && !held ? (
          <Link
            to={`/video/${encodeURIComponent(id)}`}
            className="inline-flex min-h-11 items-center hover:text-accent mouse:min-h-0"
          >
            {title}
          </Link>
        ) : (
          title
        )}
      </h2>
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted figures">
        <StatusBadge status={status} isHeld={held === 1} />
        {formatQuantity(views, "view")} in total
      </p>
    </div>
  );
}
