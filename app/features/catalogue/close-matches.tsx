import { type ListLocation, listPath, videoPath } from "~/shared/addresses";
import { formatQuantity } from "~/shared/format";
import type { VideoPage } from "~/shared/video-card";
import { buttonClass } from "~/ui/button";
import { PageLink } from "~/ui/page-link";
import { VideoGrid } from "./video-card";

/**
 * The close matches below the results of a search: the first page of them if there are no results, otherwise only a
 * link, so that they aren't mistaken for results.
 */
export function CloseMatches({
  matches,
  hasResults,
  listLocation,
  now,
}: {
  matches: VideoPage;
  hasResults: boolean;
  listLocation: ListLocation;
  now: number;
}) {
  const { videos, total } = matches;
  if (total === 0) return null;
  const all = listPath({ ...listLocation, order: undefined, page: undefined, close: true });
  if (hasResults) {
    return (
      <p className="mt-8 text-center">
        <PageLink to={all} className={buttonClass("secondary")}>
          {formatQuantity(total, "more video")} with these words in any order
        </PageLink>
      </p>
    );
  }
  return (
    <section aria-labelledby="close-matches" className="mt-2">
      <h2 id="close-matches" className="text-lg font-semibold">
        Close matches
      </h2>
      <p className="mt-1 mb-5 text-sm text-muted">
        Videos with some of these words, in any order, in their title, tags, category, series or
        description
      </p>
      <VideoGrid videos={videos} hrefFor={(id) => videoPath(id, listLocation)} now={now} />
      {total > videos.length && (
        <p className="mt-6 text-center">
          <PageLink to={all} className={buttonClass("secondary")}>
            Show all {total} close matches
          </PageLink>
        </p>
      )}
    </section>
  );
}
