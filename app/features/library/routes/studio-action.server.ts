import { z } from "zod";
import { accountNow } from "~/features/permissions/account-now.server";
import { NOT_ALLOWED, type SessionUser } from "~/features/permissions/guard.server";
import { type OwnVideos, ownVideosOf } from "~/features/permissions/own-videos";
import { changeableIds } from "~/features/permissions/own-videos.server";
import { allows, type Permission } from "~/features/permissions/permissions";
import { isRefusal } from "~/features/permissions/refusal";
import { deleteVideo } from "~/features/trash/remove.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { failure } from "~/platform/failure";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { VIDEO_STATUSES } from "~db/schema";
import { isBusy } from "~db/write-lock";
import { BULK_ACTIONS, type BulkPreview, type DeleteConfirmation } from "../bulk/bulk";
import { performBulk } from "../bulk/bulk-action.server";
import { editVideo, refusedEdit } from "../edit/edit.server";
import { discardFile, restoreFile, useAtOnce } from "../files/files-action.server";
import { replaceFile } from "../files/replace.server";
import type { ManageView } from "../list/manage-address";
import { removeView, saveView } from "../list/saved-views.server";
import { toggleVideo } from "../list/toggle-visibility.server";
import {
  deletionToast,
  EDITED,
  refusalFailure,
  scheduleToast,
  visibilityToast,
} from "../messages.server";
import type { FormFailure, FormRefusal } from "../rejected-form";
import { scheduleVideo } from "../schedule/schedule.server";
import { editSeriesOf, readSeriesEdit } from "../series/series-edit.server";
import { dismissSimilar } from "../similar/similar-videos.server";
import { trimVideo, undoCut } from "../trim/trim.server";
import type { StudioForm } from "./studio-form.server";

const id = z.string().min(1);
const text = z.string().optional();

const studioRequest = z.discriminatedUnion("intent", [
  z.object({
    intent: z.literal("update"),
    id,
    frame: text,
    pickedFrame: text,
    version: text,
    title: text,
    description: text,
    category: text,
    tags: text,
    duration: text,
  }),
  z.object({
    intent: z.literal("toggle"),
    id,
    expectedStatus: z.enum(VIDEO_STATUSES).optional().catch(undefined),
  }),
  z.object({
    intent: z.literal("schedule"),
    id,
    publishAt: z.string().default(""),
    unpublishAt: z.string().default(""),
  }),
  z.object({ intent: z.literal("delete"), id }),
  z.object({ intent: z.literal("restore"), batch: z.string().min(1) }),
  z.object({
    intent: z.literal("replace"),
    id,
    upload: text,
    duplicate: text,
    incomplete: text,
    terms: text,
  }),
  z.object({ intent: z.literal("use-file"), id, file: id }),
  z.object({ intent: z.literal("restore-file"), id, file: id }),
  z.object({ intent: z.literal("discard-file"), id, file: id }),
  z.object({
    intent: z.literal("trim"),
    id,
    start: z.string().default(""),
    end: z.string().default(""),
  }),
  z.object({ intent: z.literal("undo-trim"), id }),
  z.object({ intent: z.literal("not-same"), id, other: id }),
  z.object({ intent: z.literal("bulk") }),
  z.object({ intent: z.literal("save-view"), name: z.string().default("") }),
  z.object({ intent: z.literal("remove-view"), view: z.coerce.number().int() }),
]);

type StudioRequest = z.infer<typeof studioRequest>;

/** What a form is answered: why not, what was done, or a confirmation that must be answered first. */
export type StudioAnswer =
  | FormFailure
  | ToastMessage
  | { confirmation: DeleteConfirmation }
  | { preview: BulkPreview };

/** Who sends a form, and from which list. */
export interface Sender {
  user: SessionUser;
  view: ManageView;
}

const BUSY = "Another program is writing to the database. Try again in a few seconds.";
const TRY_AGAIN = "Load the page again and try once more.";

const FAILED: Record<StudioRequest["intent"], string> = {
  update: "Failed to update video.",
  toggle: "Failed to update video visibility.",
  schedule: "Failed to schedule video.",
  delete: "Failed to delete video.",
  restore: "Failed to restore video.",
  replace: "Failed to replace the file.",
  "use-file": "Failed to replace the file.",
  "restore-file": "Failed to restore the file.",
  "discard-file": "Failed to discard the file.",
  trim: "Failed to cut the video.",
  "undo-trim": "Failed to undo the cut.",
  "not-same": "Nothing was changed.",
  bulk: "Failed to change the videos. None of them was changed.",
  "save-view": "The view was not saved.",
  "remove-view": "The view was not removed.",
};

/** Performs a form of the manage tab, whose `intent` names the action. */
export async function performIntent(form: StudioForm, sender: Sender): Promise<StudioAnswer> {
  const parsed = studioRequest.safeParse(Object.fromEntries(form.fields));
  if (!parsed.success) return failure(400, "This form is not complete.", { detail: TRY_AGAIN });
  const sentence = FAILED[parsed.data.intent];
  const permission = permissionOf(parsed.data, form);
  // The body may have taken long to arrive: what the account may do is read after it.
  const user = accountNow(sender.user.id);
  if (!user || !allows(user, permission)) return failure(403, sentence, { detail: NOT_ALLOWED });
  const own = ownVideosOf(user, permission);
  try {
    const changeable = "id" in parsed.data ? changeableIds(own, [parsed.data.id]) : undefined;
    if (isRefusal(changeable)) return refusalFailure(changeable, sentence);
    const allowed = { ...sender, user: { ...sender.user, ...user } };
    const answer = await perform(parsed.data, form, allowed, own);
    return isRefusal(answer) ? refusalFailure(answer, sentence) : answer;
  } catch (error) {
    if (isBusy(error)) return failure(503, sentence, { detail: BUSY });
    console.error(error);
    return failure(500, sentence, { detail: TRY_AGAIN });
  }
}

/** The line of the table of permissions for a form. */
function permissionOf({ intent }: StudioRequest, { fields }: StudioForm): Permission {
  const action = intent === "bulk" && BULK_ACTIONS.find((each) => each === fields.get("do"));
  return action ? `/admin bulk ${action}` : `/admin ${intent}`;
}

async function perform(
  request: StudioRequest,
  { fields, thumbnail, captions, video, fileError }: StudioForm,
  { user, view }: Sender,
  own: OwnVideos | undefined,
): Promise<StudioAnswer | FormRefusal> {
  const userId = user.id;
  switch (request.intent) {
    case "update": {
      const { intent: _, id, version, frame, pickedFrame, ...given } = request;
      const sent = Object.entries(given).filter(([, value]) => value !== undefined);
      const edit = {
        id,
        version,
        texts: Object.fromEntries(sent),
        thumbnail,
        frame: frame?.trim(),
        pickedFrame,
        captions,
        fileError,
      };
      const series = allows(user, "/admin/series/:id?") ? readSeriesEdit(fields) : undefined;
      if (typeof series === "string") return refusedEdit(edit, { series });
      const refused = await editVideo(edit, userId);
      return refused ?? (series && (await editSeriesOf(id, series, userId))) ?? EDITED;
    }
    case "toggle": {
      const outcome = await toggleVideo(request, userId);
      return isRefusal(outcome) ? outcome : visibilityToast(outcome);
    }
    case "schedule": {
      const outcome = await scheduleVideo(request, userId);
      return isRefusal(outcome) ? outcome : scheduleToast(outcome);
    }
    case "delete": {
      const outcome = await deleteVideo(request.id, userId);
      return isRefusal(outcome) ? outcome : deletionToast(outcome, view);
    }
    case "restore":
      return restoreDeletion(request.batch, userId, own);
    case "replace": {
      const { intent: _, ...replacement } = request;
      return replaceFile({ ...replacement, file: video, fileError }, userId);
    }
    case "use-file":
      return useAtOnce({ id: request.file, videoId: request.id }, userId);
    case "restore-file":
      return restoreFile({ id: request.file, videoId: request.id }, userId);
    case "discard-file":
      return discardFile({ id: request.file, videoId: request.id }, userId);
    case "trim":
      return trimVideo(request, userId);
    case "undo-trim":
      return undoCut(request.id, userId);
    case "not-same":
      return dismissSimilar(request.id, request.other, userId, own?.userId);
    case "bulk":
      return performBulk(fields, view, userId, own);
    case "save-view":
      return saveView(userId, request.name, view);
    case "remove-view":
      return removeView(userId, request.view);
    default:
      return request satisfies never;
  }
}
