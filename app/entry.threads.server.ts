import { filteredPages, listPages } from "~/features/catalogue/list-query.server";
import {
  matchingTags,
  nearestTexts,
  relatedHits,
} from "~/features/catalogue/published-index.server";
import { newestHits, searchHits } from "~/features/catalogue/search-hits.server";
import { searchPages } from "~/features/catalogue/search-pages.server";
import { allTagNames, tagNames } from "~/features/catalogue/tag-names.server";
import { countWithoutRecord } from "~/features/consent/missing-records.server";
import { readManagedIds, readManagedPage } from "~/features/library/list/managed-search.server";
import { readTaggedIds, readTagsPage } from "~/features/library/tags/tag-list.server";
import { readTrashPage } from "~/features/library/trash/trash-list.server";
import { readMatches } from "~/features/moderation/block-list/matches.server";
import { countTransparency } from "~/features/moderation/transparency-figures.server";
import { readLibraryMetrics } from "~/features/operations/monitoring/library-metrics.server";
import { readUploaderTotals } from "~/features/operations/statistics/uploader-totals.server";
import {
  readBlockedVideos,
  readVideosLikeBlocked,
} from "~/features/processing/comparison/blocked-index.server";
import { readSimilarVideos } from "~/features/processing/comparison/perceptual-hash";
import {
  readOutdatedStreams,
  readPopularStreams,
  readSourceCounts,
} from "~/features/processing/queue/outdated-streams.server";
import { readQueuePage } from "~/features/processing/screens/queue-page.server";
import { readCaptions } from "~/media/captions/read-captions.server";
import { rewrite } from "~/media/metadata/rewrite.server";
import { serveThread } from "~db/threads/serve-thread.server";

/** The entry point of the database threads, which vite.config.ts builds. */
serveThread({
  list: listPages,
  "filtered-list": filteredPages,
  search: searchHits,
  "search-page": searchPages,
  "tag-names": tagNames,
  "all-tag-names": allTagNames,
  "newest-hits": newestHits,
  related: relatedHits,
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
  "similar-videos": readSimilarVideos,
  "library-figures": readLibraryMetrics,
  "blocked-videos": readBlockedVideos,
  transparency: countTransparency,
  "videos-like-blocked": readVideosLikeBlocked,
  "block-list-matches": readMatches,
  "lacking-consent": countWithoutRecord,
  "read-captions": () => readCaptions,
  "remove-metadata": () => rewrite,
});
