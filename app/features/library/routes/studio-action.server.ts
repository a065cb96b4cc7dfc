import { data } from "@remix-run/node";
import { z } from "zod";
import {
  readSignedOutForm,
  type SessionUser,
  signedOutMessage,
} from "~/features/permissions/guard.server";
import { accountNow, changeableIds, isRefusal } from "~/features/permissions/may-change.server";
import {
  allows,
  type OwnVideos,
  ownVideosOf,
  type Permission,
} from "~/features/permissions/permissions";
import { deleteVideo } from "~/features/trash/remove.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { quotaCheck, typedTexts, uploadRules } from "~/features/upload/receive-upload.server";
import { MESSAGES } from "~/features/upload/upload-fields";
import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import {
  discardReceived,
  type FileRule,
  type ReceivedFile,
} from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { INCOMPLETE } from "~/platform/failure";
import { requestContext } from "~/platform/node/request-context.server";
import { orFailure } from "~/platform/or-failure.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { VIDEO_STATUSES } from "~db/schema";
import { BULK_ACTIONS, type BulkPreview, type DeleteConfirmation } from "../bulk/bulk";
import { performBulk, undoAction } from "../bulk/bulk-action.server";
import { scheduleVideo, toggleVideo } from "../change-visibility.server";
import { CAPTIONS_RULE, type CaptionsEdit, captionsEdit } from "../edit/captions.server";
import { editVideo, rejectEdit } from "../edit/edit.server";
import { activateNow, discardFile, restoreFile } from "../files/other-files.server";
import { replaceFile } from "../files/replace.server";
import { trimVideo, undoTrim } from "../files/trim.server";
import type { ManageView } from "../list/manage-address";
import { removeView, saveView } from "../list/saved-views.server";
import type { FormFailure, FormRefusal } from "../managed-video";
import { refusalFailure } from "../refusals.server";
import { editSeriesOf, readSeriesEdit } from "../series/change-series.server";
import type { SignedOutResponse } from "../signed-out";
import { dismissSimilar } from "../similar-videos.server";

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
    expectedStatus: z.enum(VIDEO_STATUSES).optional(),
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

/** The result of a form: a failure, a toast, or a step that the user has to confirm first. */
type StudioResult =
  | FormFailure
  | ToastMessage
  | { confirmation: DeleteConfirmation }
  | { preview: BulkPreview };

/** The user who sent a form, and the list that it was sent from. */
interface Sender {
  user: SessionUser;
  view: ManageView;
}

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
  trim: "Failed to trim the video.",
  "undo-trim": "Failed to undo the trim.",
  "not-same": "Couldn’t mark the videos as different.",
  bulk: "Failed to update the videos. No videos were changed.",
  "save-view": "Failed to save the view.",
  "remove-view": "Failed to remove the view.",
};

const UPDATED = success("Video Updated", "Video has been updated successfully.");

/** Handles a form on the Manage Videos tab; `intent` specifies the action. */
export async function performIntent(form: StudioForm, sender: Sender): Promise<StudioResult> {
  const parsed = studioRequest.safeParse(Object.fromEntries(form.fields));
  if (!parsed.success) return INCOMPLETE;
  const message = FAILED[parsed.data.intent];
  const permission = permissionOf(parsed.data, form);
  // The body may have taken a long time to arrive, so the permissions are read afterwards.
  const user = accountNow(sender.user.id);
  if (!user || !allows(user, permission)) return refusalFailure({ code: "not-allowed" }, message);
  const own = ownVideosOf(user, permission);
  const done = async () => {
    const changeable = "id" in parsed.data ? changeableIds(own, [parsed.data.id]) : undefined;
    if (isRefusal(changeable)) return refusalFailure(changeable, message);
    const allowed = { ...sender, user: { ...sender.user, ...user } };
    const result = await perform(parsed.data, form, allowed, own);
    return isRefusal(result) ? refusalFailure(result, message) : result;
  };
  return orFailure(done, { busy: message, failed: message });
}

/** Returns the permission that a form requires. */
function permissionOf({ intent }: StudioRequest, { fields }: StudioForm): Permission {
  const action = intent === "bulk" && BULK_ACTIONS.find((each) => each === fields.get("do"));
  return action ? `/admin bulk ${action}` : `/admin ${intent}`;
}

async function perform(
  request: StudioRequest,
  { fields, thumbnail, captions, video, fileError }: StudioForm,
  { user, view }: Sender,
  own: OwnVideos | undefined,
): Promise<StudioResult | FormRefusal> {
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
      if (typeof series === "string") return rejectEdit(edit, { series });
      const refused = await editVideo(edit, userId);
      return refused ?? (series && (await editSeriesOf(id, series, userId))) ?? UPDATED;
    }
    case "toggle": {
      const outcome = await toggleVideo(request, userId);
      if (isRefusal(outcome)) return outcome;
      return { ...UPDATED, description: `Video is now ${outcome.now} on the website.` };
    }
    case "schedule": {
      const outcome = await scheduleVideo(request, userId);
      if (isRefusal(outcome)) return outcome;
      const { isSet, holdMessage } = outcome;
      const saved = isSet ? "The schedule has been saved." : "The schedule has been removed.";
      const description = holdMessage
        ? `${saved} ${holdMessage} The video will stay hidden until this is resolved.`
        : saved;
      return { ...UPDATED, description };
    }
    case "delete": {
      const outcome = await deleteVideo(request.id, userId);
      if (isRefusal(outcome)) return outcome;
      const description = "Video and associated files have been removed successfully.";
      return success("Video Deleted", description, undoAction(outcome.batch, view));
    }
    case "restore":
      return restoreDeletion(request.batch, userId, own);
    case "replace": {
      const { intent: _, ...replacement } = request;
      return replaceFile({ ...replacement, file: video, fileError }, userId);
    }
    case "use-file":
      return activateNow({ id: request.file, videoId: request.id }, userId);
    case "restore-file":
      return restoreFile({ id: request.file, videoId: request.id }, userId);
    case "discard-file":
      return discardFile({ id: request.file, videoId: request.id }, userId);
    case "trim":
      return trimVideo(request, userId);
    case "undo-trim":
      return undoTrim(request.id, userId);
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

/** Large enough for the ids in the largest bulk change. */
const MAX_FORM_BYTES = 2 * 1024 * 1024;

/** A form on the Manage Videos tab: its fields and files. */
interface StudioForm {
  fields: FormData;
  thumbnail?: ReceivedFile;
  captions?: CaptionsEdit;
  /** A replacement for a video's file. */
  video?: ReceivedFile;
  /** The reason why a file was rejected. The fields are set even if there is one. */
  fileError?: UploadError;
}

/** A form submitted to /admin: either the upload form or a form on the Manage Videos tab. */
type AdminForm = { kind: "upload"; form: ReceivedForm } | { kind: "studio"; form: StudioForm };

/**
 * Reads a form sent to /admin and passes it to `work`. Deletes the files that `work` hasn't moved. The `intent` field
 * identifies the form, wherever the field is in the body. Without an `intent`, the URL identifies the form.
 *
 * @param own set for an uploader, whose disk usage is limited.
 */
export async function withAdminForm<Result>(
  request: Request,
  { userId, own }: { userId: string; own: OwnVideos | undefined },
  work: (form: AdminForm) => Promise<Result>,
): Promise<Result> {
  if (!/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
    const fields = await readSmallForm(request, MAX_FORM_BYTES);
    return work({ kind: "studio", form: { fields, captions: captionsEdit(fields) } });
  }
  const rules = { ...uploadRules(quotaCheck(request, userId)), captions: CAPTIONS_RULE };
  const received = await receiveMultipart(request, rules, own?.userId);
  try {
    if (!isStudioForm(request, received)) return await work({ kind: "upload", form: received });
    const fields = new FormData();
    for (const [name, value] of received.fields) fields.set(name, value);
    const { files } = received;
    const captions = captionsEdit(fields, files.get("captions"));
    const sent = { thumbnail: files.get("thumbnail"), video: files.get("video"), captions };
    const form = { fields, ...sent, fileError: received.error };
    return await work({ kind: "studio", form });
  } finally {
    await discardReceived(...received.files.values());
  }
}

function isStudioForm(request: Request, { fields }: ReceivedForm): boolean {
  const intent = fields.get("intent");
  const { searchParams } = new URL(request.url);
  if (intent === undefined) return searchParams.has("edit") || searchParams.has("replace");
  return Object.hasOwn(FAILED, intent);
}

/**
 * Responds to a form that was submitted after the session had ended. The response has status 400 (specification,
 * section 8) and contains the entered values, so that the page can show them again with a prompt to sign in. Files
 * aren't read.
 *
 * @throws a 403 Response for a form on another site.
 */
export async function respondSignedOut(request: Request) {
  requireOwnOrigin(request);
  return data({ signedOut: await readSignedOut(request) }, { status: 400 });
}

async function readSignedOut(request: Request): Promise<SignedOutResponse> {
  if (!/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
    return readSignedOutForm(request);
  }
  const { fields } = await receiveMultipart(request, { video: NO_FILE, thumbnail: NO_FILE });
  const isEdit = fields.get("intent") === "update";
  const message = signedOutMessage(isEdit ? "update" : "publish");
  return { message, [isEdit ? "edit" : "upload"]: typedTexts(fields) };
}

const NO_FILE: FileRule = {
  maxBytes: 0,
  tooLarge: MESSAGES.signedOut,
  checkHead: async () => {
    throw new UploadError(413, MESSAGES.signedOut);
  },
};

/**
 * Returns whether the page is rendered as the response to a form. If so, the form's action has already checked the
 * session.
 */
export function isSignedOutResponse(): boolean {
  return requestContext()?.request.method === "POST";
}
