import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { type MetaDescriptor, useLoaderData } from "@remix-run/react";
import { ListVideo, Play } from "lucide-react";
import { isPermitted } from "~/features/permissions/guard.server";
import { type SiteIdentity, siteIdentity } from "~/platform/site-origin.server";
import { formatQuantity } from "~/shared/format";
import { pageParameter } from "~/shared/pages";
import { seriesFeedPath, seriesPath, seriesVideoPath } from "~/shared/series/series-path";
import type { VideoPage } from "~/shared/video-card";
import { buttonClass } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { listMeta } from "../catalogue-meta";
import { Pager } from "../pager";
import { loadList } from "../published-list.server";
import { requestedSeries, type SeriesDetail, seriesNotFound, seriesVideos } from "../series.server";
import { breadcrumbs } from "../structured-data";
import { VideoGrid } from "../video-card";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? seriesMeta(data.site, data) : [];

export async function loader({ request, params }: LoaderFunctionArgs) {
  const maySee = () => isPermitted(request, "/admin/series/:id?");
  const { id, ...series } = await requestedSeries(request, params.slug ?? "", maySee);
  const page = pageParameter(new URL(request.url).searchParams);
  const { list, error, status } = await loadList(request, async () => seriesVideos(id, page));
  const isShown = series.isPublic && (list.total > 0 || error !== undefined);
  if (!isShown && !(await maySee())) throw seriesNotFound();
  return data(
    { series, list, error, isShown, site: siteIdentity(request), now: Date.now() },
    { status },
  );
}

export default function SeriesPage() {
  useLiveRefresh();
  const { series, list, error, isShown, now } = useLoaderData<typeof loader>();
  const { slug, title, description } = series;
  const [first] = list.videos;
  return (
    <section aria-labelledby="list-heading">
      {!isShown && (
        <p role="status" className="mb-5 rounded-lg border border-line bg-surface p-4 text-sm">
          {series.isPublic
            ? "Visitors can’t see this series, because none of its videos are published."
            : "Visitors can’t see this series, because it is not public."}
        </p>
      )}
      <div className="mb-5 flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h1 id="list-heading" dir="auto" tabIndex={-1} className="text-xl font-bold outline-none">
            {title}
          </h1>
          <p className="text-sm text-muted figures">
            Series<span aria-hidden="true"> · </span>
            {formatQuantity(list.total, "video")}
            <span aria-hidden="true"> · </span>
            <a
              href={seriesFeedPath(slug)}
              className="inline-flex min-h-11 items-center underline underline-offset-4 hover:text-ink mouse:min-h-0"
            >
              RSS feed
            </a>
          </p>
        </div>
        {first && list.page === 1 && isShown && (
          <PageLink to={seriesVideoPath(first.id, slug)} className={buttonClass()}>
            <Play aria-hidden="true" className="size-4" />
            Play all
          </PageLink>
        )}
      </div>
      {description && (
        <p dir="auto" className="mb-5 max-w-2xl break-words whitespace-pre-line text-muted">
          {description}
        </p>
      )}
      {error ? (
        <div role="alert">
          <EmptyState title={`Error loading videos: ${error}`} />
        </div>
      ) : list.total === 0 ? (
        <EmptyState icon={<ListVideo />} title="None of the videos in this series are published." />
      ) : (
        <VideoGrid videos={list.videos} now={now} hrefFor={(id) => seriesVideoPath(id, slug)} />
      )}
      <Pager
        page={list.page}
        pageCount={list.pageCount}
        hrefFor={(page) => seriesPath(slug, page)}
      />
    </section>
  );
}

/**
 * Returns the meta tags for a series, with its canonical URL and feed. A series that visitors can't see isn't indexed.
 */
function seriesMeta(
  site: SiteIdentity,
  { series, list }: { series: SeriesDetail; list: VideoPage },
): MetaDescriptor[] {
  const { slug, title, description, isPublic } = series;
  const address = (page: number) => seriesPath(slug, page);
  const words =
    description ||
    `“${title}”: ${formatQuantity(list.total, "video")} in order on ${site.name}. Free to watch, ages 18 and over.`;
  return listMeta(site, list, {
    title,
    description: words,
    address,
    image: list.videos[0]?.thumbnailUrl,
    noindex: !isPublic || list.total === 0,
    about: breadcrumbs(site, [{ name: title, path: address(1) }]),
    feed: seriesFeedPath(slug),
  });
}
