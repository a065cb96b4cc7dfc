import { checkTerms } from "~/features/moderation/uploaders/terms.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { checkTexts, typedTexts } from "../receive-upload.server";
import { NO_TEXTS, type UploadField, type UploadTexts } from "../upload-fields";
import { addDownloads } from "./downloads.server";

/** Why a video is not fetched, with everything the form needs to be shown again. */
export interface AddressFailure {
  status: number;
  sentence: string;
  address: string;
  texts: UploadTexts;
  fields: Partial<Record<UploadField | "address", string>>;
}

/**
 * Takes the form of one address: `address`, and the texts of an upload.
 *
 * @returns what is wrong with it; undefined when the video is queued.
 */
export async function takeAddress(
  form: FormData,
  userId: string,
): Promise<AddressFailure | undefined> {
  const fields = new Map([...form].map(([name, value]) => [name, String(value)]));
  const address = fields.get("address") ?? "";
  const typed = { ...NO_TEXTS, ...typedTexts(fields), duration: "" };
  const checked = checkTexts(typed);
  const { refusal, acceptance } = checkTerms(fields.get("terms"));
  const terms = refusal && { terms: refusal };
  if (!checked.ok) {
    const wrong = { ...checked.fields, ...terms };
    return { status: 422, sentence: checked.sentence, address, texts: typed, fields: wrong };
  }
  if (terms) return { status: 422, sentence: terms.terms, address, texts: typed, fields: terms };
  const status = form.get("intent") === "address-publish" ? "published" : "review";
  try {
    await addDownloads([
      { userId, address, texts: checked.texts, status, terms: acceptance?.version },
    ]);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    const { message } = error;
    return { status: 422, sentence: message, address, texts: typed, fields: { address: message } };
  }
  return undefined;
}
