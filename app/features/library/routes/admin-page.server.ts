import type { ConsentState } from "~/features/consent/consent";
import { consentStates, refusalsOf } from "~/features/consent/validity.server";
import type { AcceptedTerms } from "~/features/moderation/uploaders/terms";
import { findAcceptances } from "~/features/moderation/uploaders/terms.server";
import { filesCheckedAt } from "~/features/operations/library-check/missing-files.server";
import { type StudioStats, studioStats } from "~/features/operations/statistics/admin-stats.server";
import type { OwnVideos } from "~/features/permissions/permissions";
import { heldForBlockList } from "~/features/processing/comparison/block-list-matches.server";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { jobSummaries } from "~/features/processing/queue/summaries.server";
import { failure } from "~/platform/failure";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { storyboardFrames } from "../edit/frames.server";
import { otherFiles } from "../files/other-files.server";
import { trimView } from "../files/trim.server";
import type { Uploader } from "../list/filter-bar";
import { type ManageView, readManageView } from "../list/manage-address";
import { findEditable, listManaged, uploaders } from "../list/managed-list.server";
import { type SavedView, savedViewsOf } from "../list/saved-views.server";
import type { EditableVideo, ManagedPage, OtherFiles, TrimView } from "../managed-video";
import { type SeriesChoice, seriesChoices } from "../series/series-list.server";
import { type SimilarVideo, similarVideos } from "../similar-videos.server";
import { type Deletion, listDeletions } from "../trash/recent-deletions.server";

const NO_VIDEOS: ManagedPage = { videos: [], page: 1, pageCount: 1, total: 0 };

const NO_SERIES: SeriesChoice = { suggested: [], current: [] };

const DIALOGS = ["edit", "schedule", "replace", "trim", "delete"] as const;
type DialogKind = (typeof DIALOGS)[number];

/** The data for the Manage Videos tab. */
export interface ManageData {
  view: ManageView;
  list: ManagedPage;
  /** Set if the list couldn't be read, so that the page doesn't claim that there are no videos. */
  loadFailed?: true;
  /** Unfinished jobs, by video id. */
  jobs: Record<string, JobSummary>;
  /** The videos that each listed video resembles, by video id. */
  similar: Record<string, SimilarVideo[]>;
  /** The ids of videos that resemble a video on the block list. */
  resemblingBlocked: string[];
  /** The reasons why videos on hold can't be published, by video id. */
  held: Record<string, string>;
  /** The consent states of the listed videos and of the dialog's video, by video id, if records are required. */
  consent: Record<string, ConsentState>;
  deletions: Deletion[];
  series: SeriesChoice;
  savedViews: SavedView[];
  /** The options of the uploader filter; undefined for users who see only their own videos. */
  uploaders?: Uploader[];
  /**
   * Set if the list is filtered by missing files: the time at which the last complete file check began, or null if
   * there has been none.
   */
  filesCheckedAt?: string | null;
  /** The open dialog and its video, which is null if it no longer exists. */
  dialog?: { kind: DialogKind; video: EditableVideo | null };
  /** For the edit dialog: the frames of the video's storyboard. */
  frames?: StoryboardFrame[];
  /** For the edit dialog: the terms that were accepted for the video. */
  accepted?: AcceptedTerms[];
  /** For the replace and trim dialogs: the video's other files, and their jobs. */
  files?: OtherFiles & { jobs?: JobSummary };
  /** For the trim dialog. */
  trim?: TrimView;
}

/** Returns the four statistics, limited to one user's uploads if an id is given, or an error toast. */
export async function loadStats(
  uploader?: string,
): Promise<{ stats?: StudioStats; toast?: ToastMessage }> {
  try {
    return { stats: await studioStats(uploader) };
  } catch (error) {
    console.error(error);
    return { toast: failure(500, "Failed to fetch statistics.").toast };
  }
}

/** Returns the view, restricted to the user's own videos if they may see only those. */
export function ownView(view: ManageView, own: OwnVideos | undefined): ManageView {
  return own ? { ...view, uploader: undefined, uploadedBy: own.userId } : view;
}

/**
 * Returns the data for the Manage Videos tab, for all videos or for one user's videos. If the list can't be read, the
 * error is only logged (specification, section 8).
 */
export async function loadManage(
  parameters: URLSearchParams,
  userId: string,
  own?: OwnVideos,
): Promise<ManageData> {
  const view = ownView(readManageView(parameters), own);
  try {
    return await loadList(view, parameters, userId, own);
  } catch (error) {
    console.error(error);
    return {
      ...{ view, list: NO_VIDEOS, loadFailed: true, series: NO_SERIES, jobs: {}, similar: {} },
      ...{ held: {}, consent: {}, resemblingBlocked: [], deletions: [], savedViews: [] },
    };
  }
}

async function loadList(
  view: ManageView,
  parameters: URLSearchParams,
  userId: string,
  own: OwnVideos | undefined,
): Promise<ManageData> {
  const kind = DIALOGS.find((dialog) => parameters.has(dialog));
  const id = kind && (parameters.get(kind) ?? "");
  const list = await listManaged(view);
  const ids = list.videos.map((each) => each.id);
  const listed = {
    view: { ...view, page: list.page },
    list,
    jobs: jobSummaries(ids),
    similar: similarVideos(ids, own?.userId),
    resemblingBlocked: heldForBlockList(ids),
    held: Object.fromEntries(refusalsOf(ids)),
    consent: consentStates(ids),
    deletions: await listDeletions(Date.now(), own),
    series: own ? NO_SERIES : seriesChoices(kind === "edit" ? id : undefined),
    savedViews: savedViewsOf(userId),
    uploaders: own ? undefined : uploaders(),
    filesCheckedAt: view.problems?.includes("missing") ? filesCheckedAt() : undefined,
  };
  if (!kind || id === undefined) return listed;
  const video = findEditable(id, own?.userId) ?? null;
  const page = { ...listed, dialog: { kind, video } };
  if (video && kind === "edit")
    return {
      ...page,
      consent: { ...listed.consent, ...consentStates([id]) },
      frames: await storyboardFrames(video.storyboardUrl ?? null),
      accepted: findAcceptances([id])?.[id],
    };
  if ((kind !== "replace" && kind !== "trim") || !video) return page;
  const files = { ...otherFiles(id), jobs: jobSummaries([id])[id] };
  return { ...page, files, trim: kind === "trim" ? await trimView(id) : undefined };
}
