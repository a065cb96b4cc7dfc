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
import { type SeriesChoice, seriesChoice } from "../series/series-list.server";
import { type SimilarVideo, similarVideos } from "../similar-videos.server";
import { type Deletion, listDeletions } from "../trash/recent-deletions.server";

const NO_VIDEOS: ManagedPage = { videos: [], page: 1, pageCount: 1, total: 0 };

const NO_SERIES: SeriesChoice = { offered: [], of: [] };

const DIALOGS = ["edit", "schedule", "replace", "trim", "delete"] as const;
type DialogKind = (typeof DIALOGS)[number];

/** The data of the manage tab for its address. */
export interface ManageData {
  view: ManageView;
  list: ManagedPage;
  /** The list couldn't be read, so an empty one says nothing about the videos. */
  isUnread?: true;
  /** Their jobs in progress, by video id. */
  jobs: Record<string, JobSummary>;
  /** What they look like, by video id. */
  similar: Record<string, SimilarVideo[]>;
  /** The ids of those that look like videos of the block list. */
  likeBlocked: string[];
  /** Why nobody can publish a video, for those of the page that are held. */
  held: Record<string, string>;
  /** How the records of these and of the dialog's video stand, where records are required. */
  consent: Record<string, ConsentState>;
  deletions: Deletion[];
  series: SeriesChoice;
  savedViews: SavedView[];
  /** Whom the list can be filtered by; undefined for somebody who sees their own videos alone. */
  uploaders?: Uploader[];
  /** Where it shows what misses a file: when the last complete look for files began, or null. */
  filesCheckedAt?: string | null;
  /** The open dialog, and its video; null when that no longer exists. */
  dialog?: { kind: DialogKind; video: EditableVideo | null };
  /** Where the dialog edits a video: the pictures of its storyboard. */
  frames?: StoryboardFrame[];
  /** Where it edits a video too: what was accepted for it. */
  accepted?: AcceptedTerms[];
  /** Where the dialog is about files: the other files of its video, and what is made of them. */
  files?: OtherFiles & { jobs?: JobSummary };
  /** Where the dialog cuts a video. */
  trim?: TrimView;
}

/** The four figures, of one user's uploads if an id is given, or the toast that says that they can't be had. */
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

/** The view with what somebody's permissions reach of it. */
export function ownView(view: ManageView, own: OwnVideos | undefined): ManageView {
  return own ? { ...view, uploader: undefined, uploadedBy: own.userId } : view;
}

/** What the manage tab shows of all videos, or of one user's. A list that can't be had is only logged (specification, section 8). */
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
      ...{ view, list: NO_VIDEOS, isUnread: true, series: NO_SERIES, jobs: {}, similar: {} },
      ...{ held: {}, consent: {}, likeBlocked: [], deletions: [], savedViews: [] },
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
  const shown = {
    view: { ...view, page: list.page },
    list,
    jobs: jobSummaries(ids),
    similar: similarVideos(ids, own?.userId),
    likeBlocked: heldForBlockList(ids),
    held: Object.fromEntries(refusalsOf(ids)),
    consent: consentStates(ids),
    deletions: await listDeletions(Date.now(), own),
    series: own ? NO_SERIES : seriesChoice(kind === "edit" ? id : undefined),
    savedViews: savedViewsOf(userId),
    uploaders: own ? undefined : uploaders(),
    filesCheckedAt: view.problems?.includes("missing") ? filesCheckedAt() : undefined,
  };
  if (!kind || id === undefined) return shown;
  const video = findEditable(id, own?.userId) ?? null;
  const page = { ...shown, dialog: { kind, video } };
  if (video && kind === "edit")
    return {
      ...page,
      consent: { ...shown.consent, ...consentStates([id]) },
      frames: await storyboardFrames(video.storyboardUrl ?? null),
      accepted: findAcceptances([id])?.[id],
    };
  if ((kind !== "replace" && kind !== "trim") || !video) return page;
  const files = { ...otherFiles(id), jobs: jobSummaries([id])[id] };
  return { ...page, files, trim: kind === "trim" ? await trimView(id) : undefined };
}
