import { filteredPages } from "~/catalogue/lists/filtered-list.server";
import { listPages } from "~/catalogue/lists/list-query.server";
import { knownTags, matchingTags, nearestTexts } from "~/catalogue/related/known-tags.server";
import { relatedHits } from "~/catalogue/related/related-hits.server";
import { newestHits, searchHits } from "~/catalogue/search/search-hits.server";
import { readBlockedFilms } from "~/media/block-list/blocked-index.server";
import { readVideosLike } from "~/media/block-list/videos-like.server";
import { readSimilarFilms } from "~/media/fingerprints/similar-films.server";
import {
  readOutdatedStreams,
  readPopularStreams,
  readSourceCounts,
} from "~/media/jobs/outdated-streams.server";
import { rewrite } from "~/media/metadata/rewrite.server";
import { readMatches } from "~/studio/block-list/matches.server";
import { readManagedIds, readManagedPage } from "~/studio/list/managed-search.server";
import { readLibraryFigures } from "~/studio/monitoring/library-figures.server";
import { readQueuePage } from "~/studio/queue/queue-page.server";
import { readUploaderTotals } from "~/studio/statistics/uploader-totals.server";
import { readTaggedIds, readTagsPage } from "~/studio/tags/tag-list.server";
import { readTrashPage } from "~/studio/trash/trash-list.server";
import { readLacking } from "~/trust/consent/lacking.server";
import { countTransparency } from "~/trust/transparency-figures.server";
import { serveThread } from "~db/threads/serve-thread.server";

/** The entry of the threads that read the database; vite.config.ts makes a file of it. */
serveThread({
  list: listPages,
  "filtered-list": filteredPages,
  search: searchHits,
  "newest-hits": newestHits,
  related: relatedHits,
  "known-tags": knownTags,
  "matching-tags": matchingTags,
  "nearest-texts": nearestTexts,
  managed: readManagedPage,
  "managed-ids": readManagedIds,
  queue: readQueuePage,
  trash: readTrashPage,
  "uploader-totals": readUploaderTotals,
  tags: readTagsPage,
  "tagged-ids": readTaggedIds,
  "source-counts": readSourceCounts,
  "outdated-streams": readOutdatedStreams,
  "popular-streams": readPopularStreams,
  "similar-films": readSimilarFilms,
  "library-figures": readLibraryFigures,
  "blocked-films": readBlockedFilms,
  transparency: countTransparency,
  "videos-like-blocked": readVideosLike,
  "block-list-matches": readMatches,
  "lacking-consent": readLacking,
  "remove-metadata": () => rewrite,
});
