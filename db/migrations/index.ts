import type { Migration } from "../migrate.server";
import { migration as baseline } from "./0200-baseline";
import { migration as schedule } from "./0201-schedule";
import { migration as trash } from "./0202-trash";
import { migration as tags } from "./0203-tags";
import { migration as loudness } from "./0204-loudness";
import { migration as categoryNames } from "./0205-category-names";
import { migration as preparing } from "./0205-preparing";
import { migration as sources } from "./0207-sources";
import { migration as series } from "./0208-series";
import { migration as queue } from "./0209-queue";
import { migration as roles } from "./0210-roles";
import { migration as videoFiles } from "./0211-video-files";
import { migration as passkeys } from "./0212-passkeys";
import { migration as api } from "./0213-api";
import { migration as uploadTemplates } from "./0216-upload-templates";
import { migration as watchedParts } from "./0217-watched-parts";
import { migration as backups } from "./0218-backups";
import { migration as review } from "./0219-review";
import { migration as cuts } from "./0220-cuts";
import { migration as downloads } from "./0221-downloads";
import { migration as codecs } from "./0222-codecs";
import { migration as list } from "./0223-list";
import { migration as alerts } from "./0224-alerts";
import { migration as nearDuplicates } from "./0225-near-duplicates";
import { migration as reports } from "./0226-reports";
import { migration as moderation } from "./0227-moderation";
import { migration as blockList } from "./0228-block-list";
import { migration as consent } from "./0229-consent";
import { migration as strikes } from "./0230-strikes";
import { migration as reportQueue } from "./0231-report-queue";
import { migration as uploadTerms } from "./0232-upload-terms";
import { migration as reportAlerts } from "./0233-report-alerts";
import { migration as storedFiles } from "./0235-stored-files";
import { migration as heartbeat } from "./0236-heartbeat";
import { migration as ofTheFilm } from "./0237-of-the-film";
import { migration as workers } from "./0238-workers";
import { migration as requiredConsent } from "./0243-required-consent";
import { migration as uncompared } from "./0244-uncompared";
import { migration as storeAlert } from "./0245-store-alert";
import { migration as storedCopies } from "./0246-stored-copies";
import { migration as reportVideos } from "./0251-report-videos";
import { migration as holdSources } from "./0252-hold-sources";
import { migration as siteMarker } from "./0255-site-marker";
import { BEFORE_BASELINE, fromBeforeBaseline } from "./from-0160";

/** In the order they run. A migration that has been released is never changed, only followed by another. */
export const migrations: readonly Migration[] = [
  { ...baseline, replaces: { names: BEFORE_BASELINE, sql: fromBeforeBaseline } },
  schedule,
  trash,
  tags,
  loudness,
  categoryNames,
  preparing,
  sources,
  series,
  queue,
  roles,
  videoFiles,
  passkeys,
  api,
  uploadTemplates,
  watchedParts,
  backups,
  review,
  cuts,
  downloads,
  codecs,
  list,
  alerts,
  nearDuplicates,
  reports,
  moderation,
  blockList,
  consent,
  strikes,
  reportQueue,
  uploadTerms,
  reportAlerts,
  storedFiles,
  heartbeat,
  ofTheFilm,
  workers,
  requiredConsent,
  uncompared,
  storeAlert,
  storedCopies,
  reportVideos,
  holdSources,
  siteMarker,
];
