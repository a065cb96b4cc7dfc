import {
  checkTerms,
  requiredTerms,
  termsRefusal,
} from "~/features/moderation/uploaders/terms.server";
import { type OwnVideos, type Permitted, reachOf } from "~/features/permissions/permissions";
import { readSchedule, type Schedule } from "~/features/visibility/schedule";
import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import { discardReceived, type FileRule } from "~/media/intake/received-file.server";
import { requireImage, videoExtension } from "~/media/intake/sniff.server";
import {
  handleTusRequest,
  readFinishedUpload,
  removeUpload,
  storeFinishedUpload,
} from "~/media/intake/tus.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { settings } from "~/platform/settings.server";
import { thumbnailSize, videoSize } from "~/shared/file-rules";
import { check, type NewVideoTexts, newVideoTexts } from "~/shared/video-fields";
import { isBusy } from "~db/write-lock";
import { findDuplicate, refuseBlockedFile } from "./file-checks.server";
import { CutOffError, publishUpload, type Upload } from "./publish.server";
import { requireQuota } from "./quota.server";
import {
  MESSAGES,
  NO_TEXTS,
  type UploadFailure,
  type UploadField,
  type UploadSuccess,
  type UploadTexts,
} from "./upload-fields";
import { findOutcome, shareOutcome } from "./upload-outcomes.server";

/** The size reserved for a form's text fields, which is more than they need. */
const FORM_BYTES = 1024 * 1024;

export type UploadOutcome =
  | { ok: true; video: UploadSuccess }
  | { ok: false; status: number; failure: UploadFailure; retryAfterSeconds?: number };

/**
 * Receives the upload form. The video is either in the `video` field, or was sent over tus and is identified by the
 * `upload` field.
 *
 * @returns the video, or a failure with its status. After a failure, the received files are deleted, except for a file
 * sent over tus, which can be retried, and a duplicate or incomplete file that awaits a decision.
 */
export async function receiveUpload(
  request: Request,
  userId: string,
  own?: OwnVideos,
): Promise<UploadOutcome> {
  const rules = uploadRules(quotaCheck(request, userId));
  const form = await receiveMultipart(request, rules, own?.userId);
  return publishReceivedForm(form, userId, own);
}

/**
 * Returns the rules for the upload form's files.
 *
 * @param requireRoom checks the quota as soon as the video starts to arrive.
 */
export function uploadRules(
  requireRoom: () => void = () => {},
): Record<"video" | "thumbnail", FileRule> {
  const checkVideo = async (head: Buffer) => {
    requireRoom();
    await videoExtension(head);
  };
  return {
    video: { ...videoSize(settings()), checkHead: checkVideo },
    thumbnail: { ...thumbnailSize(settings()), checkHead: requireImage },
  };
}

/**
 * Responds to a tus request. Owners and editors may reserve all free disk space. Checks the uploaders' terms and the
 * quota before the first byte.
 *
 * @param path the URL path of the tus endpoint.
 */
export function answerUpload(
  request: Request,
  user: Permitted & { id: string },
  path?: string,
): Promise<Response> {
  const sender = { userId: user.id, isLimited: reachOf(user, "/admin/publish") !== "all" };
  const requireAdmission = ({ terms, bytes }: { terms: string | undefined; bytes: number }) => {
    const refusal = termsRefusal(terms);
    if (refusal) throw new UploadError(422, refusal);
    requireQuota(user.id, bytes);
  };
  return handleTusRequest(request, sender, requireAdmission, path);
}

/** Returns a function that checks the quota for a form whose length is known before its video is parsed. */
export function quotaCheck(request: Request, userId: string): () => void {
  const length = Number(request.headers.get("Content-Length") ?? 0);
  // The form also contains text fields and a thumbnail. The exact size is checked once the video has arrived.
  const bytes = Math.max(0, length - settings().maxThumbnailBytes - FORM_BYTES);
  return () => requireQuota(userId, bytes);
}

/**
 * Publishes a received form and then deletes its files.
 *
 * @param own set for uploaders. Other users' videos aren't revealed to them, and they may be restricted to drafts.
 * @param alongside see `Upload`.
 */
export async function publishReceivedForm(
  form: ReceivedForm,
  userId: string,
  own: OwnVideos | undefined,
  alongside?: Upload["alongside"],
): Promise<UploadOutcome> {
  const sentBefore = form.fields.get("upload");
  try {
    const publish = () => publishForm(form, userId, own, alongside);
    if (!sentBefore) return await publish();
    const request = JSON.stringify(["publish", ...form.fields]);
    return await shareOutcome({ userId, upload: sentBefore, request }, publish);
  } catch (error) {
    if (isBusy(error)) return fail(form, 503, { message: MESSAGES.failed, fields: {} });
    if (!(error instanceof UploadError)) {
      console.error(error);
      return fail(form, 500, { message: MESSAGES.failed, fields: {} });
    }
    const fields = error.field ? { [error.field]: error.message } : {};
    const { retryAfterSeconds } = error;
    const failed = fail(form, error.status, { message: error.message, fields });
    return { ...failed, ...(retryAfterSeconds && { retryAfterSeconds }) };
  } finally {
    await discardReceived(...form.files.values());
  }
}

async function publishForm(
  form: ReceivedForm,
  userId: string,
  own: OwnVideos | undefined,
  alongside: Upload["alongside"],
): Promise<UploadOutcome> {
  const sentBefore = form.fields.get("upload");
  const published = sentBefore && findOutcome(userId, sentBefore);
  if (published) {
    // The process may have been killed before it could remove the files.
    await removeUpload(userId, sentBefore);
    return { ok: true, video: published };
  }
  if (form.error) throw form.error;
  const intent = form.fields.get("intent") ?? "publish";
  if (intent !== "publish" && intent !== "draft") {
    throw new UploadError(400, "This form can only publish a video or save it as a draft.");
  }
  const isScheduled = Boolean(form.fields.get("publishAt") || form.fields.get("unpublishAt"));
  if (own?.draftsOnly && (intent === "publish" || isScheduled)) {
    throw new UploadError(403, MESSAGES.draftsOnly);
  }
  const checked = checkTexts(typedTexts(form.fields));
  const named = form.fields.get("terms");
  if (!checked.ok) {
    const terms = sentBefore === undefined ? termsRefusal(named) : undefined;
    const { message, fields } = checked;
    return fail(form, 422, { message, fields: { ...fields, ...(terms && { terms }) } });
  }
  const sent = form.files.get("video");
  const video = sentBefore ? await readFinishedUpload(userId, sentBefore) : sent;
  if (!video) {
    const fields = { video: "Choose a video file." };
    return fail(form, 422, { message: MESSAGES.missing, fields });
  }
  // The bytes don't need to be sent again.
  const keep = async () => ({
    upload: sentBefore ?? (await storeFinishedUpload(userId, video)),
    fileName: video.name,
  });
  const { refusal, acceptance } = checkTerms(named ?? video.terms);
  if (refusal) {
    // The terms may have changed while the file was being uploaded.
    const waiting = await keep();
    return fail(form, 422, { message: refusal, fields: { terms: refusal }, waiting });
  }

  const removeUseless = async (error: unknown): Promise<never> => {
    // After these errors, a retry can't succeed. After other errors, such as a disk error, the bytes are kept.
    const isUseless = error instanceof UploadError && error.field === "video";
    if (sentBefore && isUseless) await removeUpload(userId, sentBefore);
    throw error;
  };
  // The block list is checked first, because the result of the duplicate check would reveal other users' videos.
  const about = { userId, detail: checked.texts.title };
  await refuseBlockedFile(video, about).catch(removeUseless);
  // Only our form asks for a warning about duplicates; if a script sends the upload, there is nobody to make the
  // decision.
  const warnsAboutDuplicates = form.fields.get("duplicate") === "ask";
  const duplicate = warnsAboutDuplicates
    ? await findDuplicate(video.sha256, own?.userId)
    : undefined;
  if (duplicate) {
    const message = `Duplicate of “${duplicate.title}”.`;
    return fail(form, 409, {
      message,
      fields: {},
      duplicate: { ...duplicate, ...(await keep()) },
    });
  }

  const status: Upload["status"] = intent === "draft" ? "review" : "published";
  const thumbnail = form.files.get("thumbnail");
  const { texts, schedule } = checked;
  const incomplete = form.fields.get("incomplete");
  // For a client that doesn't ask, such as a script, an incomplete file becomes a draft.
  const whenCutOff: Upload["whenCutOff"] =
    incomplete === "keep" ? "publish" : incomplete === "ask" ? "ask" : undefined;
  const files = { video, thumbnail, sentBefore };
  try {
    const upload = { userId, status, schedule, texts, acceptance, whenCutOff, alongside, ...files };
    return { ok: true, video: await publishUpload(upload) };
  } catch (error) {
    if (error instanceof CutOffError) {
      const cutOff = { ...error.cutOff, ...(await keep()) };
      return fail(form, 409, { message: error.message, fields: {}, cutOff });
    }
    return removeUseless(error);
  }
}

function fail(
  form: ReceivedForm,
  status: number,
  failure: Omit<UploadFailure, "texts">,
): UploadOutcome {
  const terms = requiredTerms();
  return {
    ok: false,
    status,
    failure: {
      ...failure,
      texts: typedTexts(form.fields),
      ...(terms && { terms, acceptedTerms: form.fields.get("terms") }),
    },
  };
}

/** Returns a form's text as it was typed; missing fields are empty. */
export function typedTexts(fields: ReadonlyMap<string, string>): UploadTexts {
  const names = Object.keys(NO_TEXTS) as (keyof UploadTexts)[];
  return Object.fromEntries(
    names.map((name) => [name, fields.get(name) ?? ""]),
  ) as unknown as UploadTexts;
}

type CheckedTexts =
  | { ok: true; texts: NewVideoTexts; schedule: Schedule }
  | { ok: false; message: string; fields: Partial<Record<UploadField, string>> };

/** Returns the validated text and times, or a message for each invalid field. */
export function checkTexts(typed: UploadTexts, now = Date.now()): CheckedTexts {
  const checked = check(newVideoTexts, typed);
  const scheduled = readSchedule(typed, now);
  if (checked.ok && "schedule" in scheduled) {
    return { ok: true, texts: checked.value, schedule: scheduled.schedule };
  }
  const fields: Partial<Record<UploadField, string>> = {
    ...(!checked.ok && checked.fields),
    ...("fields" in scheduled && scheduled.fields),
  };
  const isMissing = (["title", "description", "category"] as const).some(
    (name) => fields[name] !== undefined && typed[name].trim() === "",
  );
  const [first] = Object.values(fields);
  return {
    ok: false,
    message: isMissing ? MESSAGES.missing : (first ?? MESSAGES.failed),
    fields,
  };
}
