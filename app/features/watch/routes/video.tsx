import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import {
  useLoaderData,
  useLocation,
  useNavigate,
  useNavigation,
  useRouteLoaderData,
} from "@remix-run/react";
import { useEffect, useState } from "react";
import { BackLink, stepsBack } from "~/features/catalogue/back-link";
import { videoMeta } from "~/features/catalogue/catalogue-meta";
import { privateMeta } from "~/features/catalogue/page-meta";
import { PLACEHOLDER_URL } from "~/features/catalogue/poster";
import { loadVideo } from "~/features/catalogue/published-list.server";
import { seriesQueue } from "~/features/catalogue/series.server";
import { POSTER_TRANSITION } from "~/features/catalogue/video-card";
import { useContinuedVisit } from "~/features/player/continued";
import { currentPosition, playFrom } from "~/features/player/enhanced-player";
import { parseStart } from "~/features/player/media-time";
import { resetSpeed } from "~/features/player/memory";
import { StreamPreloads } from "~/features/player/stream-preloads";
import { VideoPlayer } from "~/features/player/video-player";
import { useWatchedParts } from "~/features/player/watched-parts";
import { withVersion } from "~/media/serve/file-version.server";
import { siteIdentity } from "~/platform/site-origin.server";
import type { loader as rootLoader } from "~/root";
import { categoryPath, listPath, parseListLocation, tagPath, videoPath } from "~/shared/addresses";
import { categoryLabel } from "~/shared/categories";
import { formatAge, formatViews } from "~/shared/format";
import { seriesPageOf, seriesPath, seriesVideoPath } from "~/shared/series/series-path";
import { chaptersOf } from "~/shared/timestamps";
import type { VideoCardData } from "~/shared/video-card";
import { Badge } from "~/ui/badge";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { ChapterList, LinkedText, type SeekLinks } from "../linked-text";
import { RelatedVideos } from "../related-videos";
import { SeriesList } from "../series-list";
import { streamStart } from "../stream-start.server";
import { UpNext, useUpNext } from "../up-next";
import { useCountedViews } from "../use-counted-views";
import { findPublished, relatedVideos } from "../video.server";
import { SaveButton, ShareButton } from "../video-actions";
import { isNotFound, VideoError } from "../video-error";
import "../watch.css";

export const meta: MetaFunction<typeof loader> = (args) =>
  args.data
    ? videoMeta(args.data.site, args.data.video)
    : privateMeta(isNotFound(args.error) ? "Video not found" : "Something went wrong")(args);

export async function loader({ request, params }: LoaderFunctionArgs) {
  return loadVideo(request, () => readVideo(request, params.id ?? ""));
}

async function readVideo(request: Request, id: string) {
  const { searchParams } = new URL(request.url);
  const video = await findPublished(id);
  if (!video) throw new Response(null, { status: 404, statusText: "Not Found" });
  const series = searchParams.get("series");
  return {
    video,
    // If there is no file yet, the page plays the stream that is still being encoded.
    fileUrl: video.videoUrl ? await withVersion(video.videoUrl) : (video.hlsUrl ?? ""),
    chapters: chaptersOf(video.description, video.durationSeconds),
    streamStart: video.hlsUrl ? await streamStart(video.hlsUrl) : undefined,
    startSeconds: parseStart(searchParams.get("t")) ?? 0,
    related: await relatedVideos(id),
    listLocation: parseListLocation(searchParams),
    series: series === null ? undefined : seriesQueue(series, id),
    site: siteIdentity(request),
    now: Date.now(),
  };
}

/**
 * Returns a function that builds this page's URL for a position. The URL includes the list or series from which the
 * video was opened.
 */
function useVideoUrl(): (seconds?: number) => string {
  const { video, listLocation, series } = useLoaderData<typeof loader>();
  return (seconds) =>
    series
      ? seriesVideoPath(video.id, series.slug, seconds)
      : videoPath(video.id, listLocation, seconds);
}

export default function VideoPage() {
  const { video, related, listLocation, series, now } = useLoaderData<typeof loader>();
  const steps = stepsBack(useLocation().state);
  const upNext = useUpNext(video.id, related);
  const nextState = steps ? { steps: steps + 1 } : undefined;
  const list = series
    ? seriesPath(series.slug, seriesPageOf(series.number))
    : listPath(listLocation);
  const next = series?.next ?? upNext[0];
  const nextHref = series?.next
    ? seriesVideoPath(series.next.id, series.slug)
    : next && videoPath(next.id, listLocation);
  return (
    <div className="video-layout">
      <article>
        <div className="watch">
          <BackLink id={video.id} list={list} />
          <Watch
            next={next && nextHref ? { ...next, href: nextHref } : undefined}
            state={nextState}
          />
        </div>
        <Details />
      </article>
      <aside aria-labelledby="related-heading">
        {series && <SeriesList series={series} here={video.id} state={nextState} />}
        {!series?.next && (
          <UpNext videos={upNext} hrefFor={(id) => videoPath(id, listLocation)} state={nextState} />
        )}
        <h2 id="related-heading" className="mb-4 text-lg font-semibold">
          Related Videos
        </h2>
        <RelatedVideos
          videos={related}
          category={video.category}
          now={now}
          hrefFor={(id) => videoPath(id, listLocation)}
          state={nextState}
        />
      </aside>
    </div>
  );
}

/** Everything below the player. */
function Details() {
  const { video, chapters, now } = useLoaderData<typeof loader>();
  const seekLinks: SeekLinks = {
    durationSeconds: video.durationSeconds,
    hrefFor: useVideoUrl(),
    playFrom,
  };
  const asksForAge = useRouteLoaderData<typeof rootLoader>("root")?.asksForAge ?? false;
  const continues = useContinuedVisit(video.id);
  const views = useCountedViews(video.id, video.views, !asksForAge && !continues);
  const { id, durationSeconds } = video;
  useWatchedParts({ id, durationSeconds, isGrowing: !video.videoUrl }, !asksForAge, continues);
  return (
    <>
      <h1 dir="auto" className="mt-5 text-xl font-bold">
        {video.title}
      </h1>
      {/* Content that is shown while the page is loading must not move afterwards. */}
      <div className="mt-3 flex flex-col gap-x-6 gap-y-3 sm:min-h-11 sm:flex-row sm:flex-wrap sm:items-center sm:justify-between">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted figures">
          {/* Wide enough for the next view count, which appears shortly afterwards, so that nothing moves. */}
          <span className="inline-flex min-h-11 min-w-15 items-center mouse:min-h-9">
            {formatViews(views)}
          </span>
          <span>{formatAge(video.createdAt, now)}</span>
          <PageLink
            to={categoryPath(video.category)}
            className="inline-flex min-h-11 items-center rounded-sm mouse:min-h-9"
          >
            <Badge className="px-2.5 py-1 hover:text-ink">{categoryLabel(video.category)}</Badge>
          </PageLink>
          <PageLink
            to={`/report?video=${encodeURIComponent(video.id)}`}
            rel="nofollow"
            className="inline-flex min-h-11 items-center rounded-sm hover:text-ink mouse:min-h-9"
          >
            Report
          </PageLink>
        </p>
        <div className="flex flex-wrap gap-2 sm:min-w-71">
          <SaveButton id={video.id} />
          <ShareButton title={video.title} path={() => videoPath(video.id)}>
            Share
          </ShareButton>
          <ShareButton
            title={video.title}
            path={() => videoPath(video.id, undefined, currentPosition())}
            label="Copy link at current time"
          />
        </div>
      </div>
      {!asksForAge && (
        <noscript>
          <img src={`/video/${video.id}/view`} alt="" width={1} height={1} className="absolute" />
        </noscript>
      )}
      {chapters.length > 0 && <ChapterList chapters={chapters} seekLinks={seekLinks} />}
      {(video.description || video.tags.length > 0) && (
        <div className="mt-6 rounded-lg border border-line bg-surface p-4 sm:p-5">
          {video.description && <LinkedText text={video.description} seekLinks={seekLinks} />}
          {video.tags.length > 0 && (
            <ul aria-label="Tags" className="flex flex-wrap gap-2 not-first:mt-4">
              {[...new Set(video.tags)].map((tag) => (
                <li key={tag}>
                  <PageLink
                    to={tagPath(tag)}
                    dir="auto"
                    className="inline-flex min-h-11 min-w-11 items-center justify-center rounded-md border border-line px-3 text-sm text-muted hover:border-line-strong hover:text-ink mouse:min-h-9"
                  >
                    {tag}
                  </PageLink>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}

export function ErrorBoundary() {
  return <VideoError />;
}

/** The player on the video page. */
function Watch({
  next,
  state,
}: {
  next: (VideoCardData & { href: string }) | undefined;
  /** The state for the Back link. It is passed on to the next video's page. */
  state: unknown;
}) {
  const { video, fileUrl, startSeconds, streamStart, chapters } = useLoaderData<typeof loader>();
  const here = useVideoUrl();
  const navigate = useNavigate();
  const [waitingFor, setWaitingFor] = useState<string>();
  const pending = useNavigation().location?.pathname;
  const isReplaced = pending?.startsWith("/video/") && pending !== useLocation().pathname;
  // If the next page takes a long time to load, a skeleton replaces this player.
  useEffect(() => {
    if (isReplaced) resetSpeed();
  }, [isReplaced]);
  return (
    <div className="watch-player" style={{ viewTransitionName: POSTER_TRANSITION }}>
      {video.hlsUrl && (
        <StreamPreloads
          posterUrl={video.thumbnailUrl}
          hlsUrl={video.hlsUrl}
          streamStart={streamStart}
        />
      )}
      <VideoPlayer
        video={{
          ...video,
          href: here(),
          // The URL includes a version, so that the file stays the same during playback.
          fileUrl,
          startSeconds,
          chapters,
          // No placeholder is needed if there is a file, because the browser shows the file's first frame.
          posterUrl: video.thumbnailUrl ?? (fileUrl ? null : PLACEHOLDER_URL),
          streamStart,
          next,
        }}
        onNext={({ href }) => navigate(href, { state })}
        onPreparing={() => setWaitingFor(video.id)}
      />
      {(video.preparing || waitingFor === video.id) && <LiveRefresh />}
    </div>
  );
}

/** Refreshes the page when the video's state changes. Rendered only while the video can't be played yet. */
function LiveRefresh() {
  useLiveRefresh();
  return null;
}
