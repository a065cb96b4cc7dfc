import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import { discardArrived, type FileRule } from "~/media/intake/received-file.server";
import { requireImage, videoEnding } from "~/media/intake/sniff.server";
import { forgetUpload, parkUpload, takeFinishedUpload } from "~/media/intake/tus.server";
import { UploadRefused } from "~/media/intake/upload-error.server";
import { settings } from "~/server/settings.server";
import { pictureSize, videoSize } from "~/shared/file-rules";
import { isBusy } from "~db/write-lock";
import { findDuplicate } from "./duplicates.server";
import { publishUpload } from "./publish.server";
import {
  SENTENCES,
  UPLOAD_INTENTS,
  type UploadFailure,
  type UploadIntent,
  type UploadSuccess,
} from "./upload-fields";
import { checkTexts, typedTexts } from "./upload-texts.server";

/** Uploads that are being taken: a form that is sent twice must not make two videos of one file. */
const beingTaken = new Set<string>();
/** What became of the last ones: an answer can get lost with its connection, and is asked for again. */
const lastTaken = new Map<string, UploadSuccess>();
const REMEMBERED = 1_000;

export type UploadOutcome =
  | { ok: true; video: UploadSuccess }
  | { ok: false; status: number; failure: UploadFailure };

/**
 * Takes the upload form, on whichever road its bytes come: in the field `video`, or sent before by
 * the resumable road and named in the field `upload`.
 *
 * @returns a failure with its status; nothing of the upload is left then, except a file that was
 *   sent before, which waits for another try, and one that the catalogue already has, which waits
 *   for the decision to keep both.
 */
export async function takeUpload(request: Request, userId: string): Promise<UploadOutcome> {
  return takeReceived(await receiveMultipart(request, uploadRules()), userId);
}

/** What the files of the upload form have to be. */
export function uploadRules(): Record<"video" | "thumbnail", FileRule> {
  const checkVideo = async (head: Buffer) => void (await videoEnding(head));
  return {
    video: { ...videoSize(settings()), checkHead: checkVideo },
    thumbnail: { ...pictureSize(settings()), checkHead: requireImage },
  };
}

/** The same for a form that has been received; its files are gone afterwards. */
export async function takeReceived(form: ReceivedForm, userId: string): Promise<UploadOutcome> {
  const sentBefore = form.fields.get("upload");
  try {
    if (sentBefore === undefined) return await takeForm(form, userId);
    if (beingTaken.has(sentBefore)) throw new UploadRefused(409, "This upload is being published.");
    beingTaken.add(sentBefore);
    return await takeForm(form, userId).finally(() => beingTaken.delete(sentBefore));
  } catch (error) {
    if (isBusy(error)) return fail(form, 503, { sentence: SENTENCES.failed, fields: {} });
    if (!(error instanceof UploadRefused)) {
      console.error(error);
      return fail(form, 500, { sentence: SENTENCES.failed, fields: {} });
    }
    const fields = error.field ? { [error.field]: error.message } : {};
    return fail(form, error.status, { sentence: error.message, fields });
  } finally {
    await discardArrived(...form.files.values());
  }
}

async function takeForm(form: ReceivedForm, userId: string): Promise<UploadOutcome> {
  if (form.refusal) throw form.refusal;
  const intent = uploadIntent(form.fields.get("intent"));
  const checked = checkTexts(typedTexts(form.fields));
  if (!checked.ok) return fail(form, 422, checked);

  const sentBefore = form.fields.get("upload");
  const taken = lastTaken.get(`${userId} ${sentBefore}`);
  if (taken) return { ok: true, video: taken };
  const sent = form.files.get("video");
  const video = sentBefore ? await takeFinishedUpload(userId, sentBefore) : sent;
  if (!video) {
    const fields = { video: "A video file is needed." };
    return fail(form, 422, { sentence: SENTENCES.missing, fields });
  }

  // Our form asks to be told of a duplicate first. A script that sends the fields alone wants them
  // taken, and has nobody to ask.
  const isAsked = form.fields.get("duplicate") === "ask";
  const duplicate = isAsked ? await findDuplicate(video.sha256) : undefined;
  if (duplicate) {
    const upload = sentBefore ?? (await parkUpload(userId, video));
    return fail(form, 409, {
      sentence: `This file is already in the catalogue, as “${duplicate.title}”.`,
      fields: {},
      duplicate: { ...duplicate, upload, fileName: video.name },
    });
  }

  const status = intent === "draft" ? "review" : "published";
  const thumbnail = form.files.get("thumbnail");
  const { texts } = checked;
  const published = await publishUpload({ userId, status, texts, video, thumbnail }).catch(
    async (error) => {
      // No other try can make a video of it.
      const hopeless = error instanceof UploadRefused && error.field === "video";
      if (sentBefore && hopeless) await forgetUpload(userId, sentBefore);
      throw error;
    },
  );
  if (sentBefore) {
    await forgetUpload(userId, sentBefore);
    lastTaken.set(`${userId} ${sentBefore}`, published);
    const [oldest] = lastTaken.keys();
    if (oldest && lastTaken.size > REMEMBERED) lastTaken.delete(oldest);
  }
  return { ok: true, video: published };
}

function uploadIntent(value: string | undefined): UploadIntent {
  const intent = UPLOAD_INTENTS.find((each) => each === (value ?? "publish"));
  if (!intent) throw new UploadRefused(400, "This form can only publish, or save as draft.");
  return intent;
}

function fail(
  form: ReceivedForm,
  status: number,
  failure: Omit<UploadFailure, "texts">,
): UploadOutcome {
  const { sentence, fields, duplicate } = failure;
  const texts = typedTexts(form.fields);
  return {
    ok: false,
    status,
    failure: { sentence, fields, texts, ...(duplicate && { duplicate }) },
  };
}
