import { migration as videosUsersSessions } from "./0001-videos-users-sessions";
import { migration as studio } from "./0010-studio";
import { migration as accounts } from "./0020-accounts";
import { migration as jobs } from "./0030-jobs";
import { migration as uploads } from "./0040-uploads";
import { migration as managedSearch } from "./0060-managed-search";
import { migration as publishedOrderAndSearch } from "./0070-published-order-and-search";
import { migration as imports } from "./0080-imports";
import { migration as managedSearchForOlderSqlite } from "./0090-managed-search-for-older-sqlite";
import { migration as captions } from "./0100-captions";
import { migration as searchMerges } from "./0120-search-merges";
import { migration as replacedVideos } from "./0125-replaced-videos";
import { migration as managedSegments } from "./0130-managed-segments";
import { migration as searchTombstones } from "./0140-search-tombstones";
import { migration as managedOrdersWithoutStatus } from "./0150-managed-orders-without-status";
import { migration as posterColors } from "./0160-poster-colors";

/** In the order they run. A migration that has landed is never changed, only followed by another. */
export const migrations = [
  videosUsersSessions,
  studio,
  accounts,
  jobs,
  uploads,
  managedSearch,
  publishedOrderAndSearch,
  imports,
  managedSearchForOlderSqlite,
  captions,
  searchMerges,
  replacedVideos,
  managedSegments,
  searchTombstones,
  managedOrdersWithoutStatus,
  posterColors,
];
