import type { OwnVideos } from "~/features/permissions/own-videos";
import { quotaCheck, uploadRules } from "~/features/upload/receive-upload.server";
import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import { discardReceived, type ReceivedFile } from "~/media/intake/received-file.server";
import type { UploadError } from "~/media/intake/upload-error.server";
import { readSmallForm } from "~/platform/small-form.server";
import { CAPTIONS_RULE, type CaptionsEdit, captionsEdit } from "../edit/edit-captions.server";

/** Room for the ids of as many videos as can be changed at once. */
const MAX_FORM_BYTES = 2 * 1024 * 1024;

/** The intents of the manage tab's forms; any other intent is the upload form's. */
const STUDIO_INTENTS: readonly string[] = [
  ...["update", "toggle", "schedule", "delete", "restore", "bulk"],
  ...["replace", "use-file", "restore-file", "discard-file", "trim", "undo-trim"],
  ...["not-same", "save-view", "remove-view"],
];

/** A form of the manage tab: its fields, and the files that the edit form may carry. */
export interface StudioForm {
  fields: FormData;
  thumbnail?: ReceivedFile;
  captions?: CaptionsEdit;
  /** The file that is to replace that of a video. */
  video?: ReceivedFile;
  /** Why a file was rejected; the fields are still set. */
  fileError?: UploadError;
}

/** A form that is sent to /admin: an upload, or one of the manage tab. */
export type AdminForm =
  | { kind: "upload"; form: ReceivedForm }
  | { kind: "studio"; form: StudioForm };

/**
 * Reads a form of /admin and hands it to `work`; files that it has not moved are deleted then. Which
 * form it is the `intent` decides, wherever in the body it is; the URL decides when there is none.
 *
 * @param own of an uploader, whose share of the disk is limited.
 */
export async function withAdminForm<Answer>(
  request: Request,
  { userId, own }: { userId: string; own: OwnVideos | undefined },
  work: (form: AdminForm) => Promise<Answer>,
): Promise<Answer> {
  if (!/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
    const fields = await readSmallForm(request, MAX_FORM_BYTES);
    return work({ kind: "studio", form: { fields, captions: captionsEdit(fields) } });
  }
  const rules = { ...uploadRules(quotaCheck(request, userId)), captions: CAPTIONS_RULE };
  const received = await receiveMultipart(request, rules, own?.userId);
  try {
    if (!isOfStudio(request, received)) return await work({ kind: "upload", form: received });
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

function isOfStudio(request: Request, { fields }: ReceivedForm): boolean {
  const intent = fields.get("intent");
  const { searchParams } = new URL(request.url);
  if (intent === undefined) return searchParams.has("edit") || searchParams.has("replace");
  return STUDIO_INTENTS.includes(intent);
}
