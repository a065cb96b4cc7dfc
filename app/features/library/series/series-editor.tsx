import { Link, useLocation } from "@remix-run/react";
import { ArrowLeft, ListVideo } from "lucide-react";
import { Pager } from "~/features/catalogue/lists/pager";
import { formatQuantity } from "~/shared/format";
import { seriesPath } from "~/shared/series/series-path";
import { ButtonLink } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import type { SeriesFailure } from "./change-series.server";
import { SERIES_RESTORABLE_DAYS, type SeriesView, seriesHref } from "./series-address";
import { SeriesForm } from "./series-form";
import type { EditedSeries, SeriesVideosPage } from "./series-list.server";
import { SeriesVideos } from "./series-videos";

/** The page of one series: its texts, and its videos in their order. */
export function SeriesEditor({
  view,
  series,
  list,
  isDeleting,
  error,
  busy,
}: {
  view: SeriesView;
  series: EditedSeries;
  list: SeriesVideosPage;
  /** Whether deleting is asked about. */
  isDeleting: boolean;
  error: SeriesFailure | undefined;
  /** The intent of the form that is being sent. */
  busy: string | undefined;
}) {
  const here = seriesHref(view);
  const { key } = useLocation();
  return (
    <>
      {isDeleting && (
        <ConfirmDialog
          title="Delete this series?"
          description={series.title}
          list={here}
          busy={busy === "delete"}
          consequences={[
            "Its page and its feed are gone at once; its videos stay.",
            `For ${SERIES_RESTORABLE_DAYS} days it can be restored.`,
          ]}
        >
          <input type="hidden" name="intent" value="delete" />
        </ConfirmDialog>
      )}
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <ButtonLink to="/admin/series" variant="ghost" size="sm" className="-ml-3">
          <ArrowLeft aria-hidden="true" className="size-4" />
          All series
        </ButtonLink>
        <Link
          to={seriesPath(series.slug)}
          className="inline-flex min-h-11 min-w-0 items-center break-all text-accent underline underline-offset-4"
        >
          {decodeURIComponent(seriesPath(series.slug))}
        </Link>
      </div>
      <SeriesForm
        // What was saved or refused is another form; the live refresh is not.
        key={`${series.id} ${key}`}
        series={series}
        error={error}
        action={here}
        deleteHref={seriesHref(view, true)}
        busy={busy === "update"}
      />
      <section aria-labelledby="videos" className="flex flex-col gap-4 border-t border-line pt-6">
        <div className="flex flex-wrap items-baseline justify-between gap-3">
          <h2 id="videos" className="text-lg font-semibold">
            Videos
          </h2>
          <p className="text-sm text-muted figures">{formatQuantity(list.total, "video")}</p>
        </div>
        {list.total === 0 ? (
          <EmptyState
            icon={<ListVideo />}
            title="No video is in this series yet."
            action={<ButtonLink to="/admin?tab=manage">Choose videos</ButtonLink>}
          >
            Select videos in the list and choose Add to series, or name the series in the dialog of
            a video.
          </EmptyState>
        ) : (
          <SeriesVideos key={series.id} list={list} version={series.version} action={here} />
        )}
        <Pager
          page={list.page}
          pageCount={list.pageCount}
          hrefFor={(page) => seriesHref({ ...view, page })}
        />
      </section>
    </>
  );
}
