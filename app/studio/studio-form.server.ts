import { type ArrivedFile, discardArrived } from "~/media/arriving.server";
import { receiveMultipart } from "~/media/intake.server";
import type { UploadRefused } from "~/media/upload-refused.server";
import { readSmallForm } from "~/server/small-form.server";
import { CAPTIONS_RULE, type CaptionsEdit, captionsEdit } from "./edit-captions.server";
import { thumbnailRule } from "./take-upload.server";

/** Room for the ids of as many videos as can be changed at once. */
const MOST_FORM_BYTES = 2 * 1024 * 1024;

/** A form of the manage tab: its fields, and the files that the edit form may carry. */
export interface StudioForm {
  fields: FormData;
  thumbnail?: ArrivedFile;
  captions?: CaptionsEdit;
  /** Why a file was not taken; the fields are there all the same. */
  refusal?: UploadRefused;
}

/** Whether a multipart request is the edit form of the dialog that its address opens. */
export function isEditForm(request: Request): boolean {
  return new URL(request.url).searchParams.has("edit");
}

/** Reads a form and hands it to `work`; a file that is not moved on by then is gone. */
export async function withStudioForm<Answer>(
  request: Request,
  work: (form: StudioForm) => Promise<Answer>,
): Promise<Answer> {
  if (!/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
    const fields = await readSmallForm(request, MOST_FORM_BYTES);
    return work({ fields, captions: captionsEdit(fields) });
  }
  const received = await receiveMultipart(request, {
    thumbnail: thumbnailRule(),
    captions: CAPTIONS_RULE,
  });
  const fields = new FormData();
  for (const [name, value] of received.fields) fields.set(name, value);
  try {
    const { files, refusal } = received;
    const captions = captionsEdit(fields, files.get("captions"));
    return await work({ fields, thumbnail: files.get("thumbnail"), captions, refusal });
  } finally {
    await discardArrived(...received.files.values());
  }
}
