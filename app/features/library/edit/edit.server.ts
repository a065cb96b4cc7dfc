import * as z from "zod/mini";
import { resolveAliases } from "~/features/catalogue/tags.server";
import { changeableNow, isRefusal } from "~/features/permissions/may-change.server";
import { MESSAGES } from "~/features/upload/upload-fields";
import { type MediaName, mediaUrl } from "~/media/bucket.server";
import {
  removeSoon,
  removeUnreferenced,
  withdrawAnnouncement,
} from "~/media/files/removals.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { recordFile } from "~/media/media-files.server";
import { removeReplacedThumbnail } from "~/media/serve/small-thumbnail.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { toCategoryId } from "~/shared/categories";
import { formatDuration } from "~/shared/format";
import { check, videoTexts } from "~/shared/video-fields";
import { database, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { storedTags } from "~db/tags";
import { EDITABLE_COLUMNS, findEditable, toEditable } from "../list/managed-list.server";
import type { EditableVideo, EditTexts, FormRefusal, RejectedEdit } from "../managed-video";
import { type CaptionsEdit, storeNewCaptions } from "./captions.server";
import { withFrame } from "./frames.server";

interface Edit {
  id: string;
  /** The version that the form was opened with. Clients that omit it overwrite changes made by others. */
  version?: string;
  /** Omitted fields keep their value. */
  texts: Partial<EditTexts>;
  /** An uploaded image. */
  thumbnail?: ReceivedFile;
  /** The position of a frame to use as the thumbnail, as it was entered. Ignored if an image was uploaded. */
  frame?: string;
  /** The position of a selected storyboard frame. Ignored if `frame` is set. */
  pickedFrame?: string;
  captions?: CaptionsEdit;
  /** The reason why an uploaded file was rejected. */
  fileError?: UploadError;
}

/** The files uploaded with an edit, which are stored in their buckets. */
interface NewFiles {
  thumbnail?: Awaited<ReturnType<typeof storeNewThumbnail>>;
  captions?: Awaited<ReturnType<typeof storeNewCaptions>>;
}

/**
 * Changes a video's title, description, category, tags, duration, thumbnail and captions.
 *
 * @returns a refusal if nothing was changed: `changed` if the row's version differs from the form's, `file-refused` if
 *   a file was rejected, `invalid` if a field is invalid.
 */
export async function editVideo(edit: Edit, userId: string): Promise<FormRefusal | undefined> {
  const before = findEditable(edit.id);
  if (!before) return { code: "gone" };
  const files: NewFiles = {};
  const outcome = await storeFilesAndRow(edit, files, userId).catch(async (error) => {
    await discardFiles(files);
    if (!(error instanceof UploadError)) throw error;
    return fileRefused(edit, before, error);
  });
  if (isRefusal(outcome)) {
    await discardFiles(files);
    return outcome;
  }
  await files.thumbnail?.commit(edit.id);
  await files.captions?.commit();
  return undefined;
}

/** Changes only the text fields, within the caller's transaction. */
export function editTextsIn(
  edit: Pick<Edit, "id" | "version" | "texts">,
  userId: string,
): FormRefusal | undefined {
  return writeRow(edit, {}, userId);
}

/** Stores the files in their buckets, then writes the row that references them. */
async function storeFilesAndRow(edit: Edit, files: NewFiles, userId: string) {
  if (edit.fileError) throw edit.fileError;
  const frame = edit.frame || edit.pickedFrame;
  if (edit.thumbnail) files.thumbnail = await storeNewThumbnail(userId, edit.thumbnail);
  else if (frame) {
    files.thumbnail = await withFrame(edit.id, frame, userId, (image) =>
      storeNewThumbnail(userId, image),
    );
  }
  if (edit.captions) files.captions = await storeNewCaptions(edit.id, edit.captions);
  return transaction(() => writeRow(edit, files, userId));
}

async function discardFiles({ thumbnail, captions }: NewFiles): Promise<void> {
  await thumbnail?.discard();
  await captions?.discard();
}

function fileRefused(edit: Edit, current: EditableVideo, error: UploadError): FormRefusal {
  const field = error.field === "captions" || error.field === "frame" ? error.field : "thumbnail";
  const rejected = { ...sentForm(edit, current), fields: { [field]: error.message } };
  return { code: "file-refused", status: error.status, edit: rejected };
}

function sentForm({ texts, version, frame }: Edit, current: EditableVideo) {
  return {
    current,
    version: version ?? current.version,
    texts: { ...textsOf(current), ...texts },
    ...(frame && { frame }),
  };
}

/** Returns the refusal for an edit that has an error outside its text fields. Doesn't write anything. */
export async function rejectEdit(edit: Edit, fields: RejectedEdit["fields"]): Promise<FormRefusal> {
  const current = findEditable(edit.id);
  if (!current) return { code: "gone" };
  return { code: "invalid", edit: { ...sentForm(edit, current), fields } };
}

/**
 * Reads, compares and writes the row within the caller's transaction, so that no other write can happen in between.
 * Permissions are checked again, because storing the files took time, during which an editor may have published the
 * video.
 */
function writeRow(
  edit: Edit,
  { thumbnail, captions }: NewFiles,
  userId: string,
): FormRefusal | undefined {
  const { id } = edit;
  const row = firstRow(
    database().selectFrom("videos").select(EDITABLE_COLUMNS).where("id", "=", id),
  );
  if (!row) return { code: "gone" };
  const changeable = changeableNow(userId, "/admin update", [id]);
  if (isRefusal(changeable)) return changeable;
  const current = toEditable(row);
  const sent = sentForm(edit, current);
  const { changes, fields } = readTexts(edit.texts);
  const { version } = current;
  if (sent.version !== version) return { code: "changed", edit: { ...sent, version, fields } };
  if (!changes) return { code: "invalid", edit: { ...sent, fields } };
  if (thumbnail) removeReplacedThumbnail(row.thumbnail_url);
  runChange(
    database()
      .updateTable("videos")
      .set({
        ...changes,
        ...(thumbnail && {
          thumbnail_url: thumbnail.url,
          poster_colors: thumbnail.colors ?? null,
        }),
        ...(captions && { captions: captions.change(row.captions) }),
        updated_at: new Date().toISOString(),
      })
      .where("id", "=", id),
  );
  recordActivity({ userId, action: "edit", subjectId: id, detail: changes.title ?? row.title });
  return undefined;
}

/** Returns the current values of a video for the edit form's fields. */
function textsOf(video: EditableVideo): EditTexts {
  return {
    title: video.title,
    description: video.description,
    category: toCategoryId(video.category) ?? video.category,
    tags: video.tags.join(", "),
    duration: video.duration,
  };
}

/** Omitted fields aren't checked. */
const sentTexts = z.partial(videoTexts);

/** Returns the columns to write, or an error message for each invalid field. */
function readTexts(typed: Partial<EditTexts>) {
  const checked = check(sentTexts, typed);
  if (!checked.ok) {
    const { fields } = checked;
    return {
      fields: typed.title?.trim() === "" ? { ...fields, title: MESSAGES.missing } : fields,
    };
  }
  const { tags, duration, ...texts } = checked.value;
  const changes = {
    ...texts,
    ...(duration !== undefined && { duration: formatDuration(duration) }),
    ...(tags && { tags: storedTags(resolveAliases(tags)) }),
  };
  return { changes, fields: {} };
}

/**
 * Re-encodes an image and stores it in its bucket. The caller must then add it to the video's row.
 *
 * @throws {UploadError} 415 if the file isn't an image, 507 if the disk is full.
 */
async function storeNewThumbnail(userId: string, file: ReceivedFile) {
  const { file: encoded, colors } = await encodeThumbnail(file.path);
  try {
    const name: MediaName = {
      bucket: "thumbnails",
      path: await moveThumbnailIntoBucket(userId, encoded),
    };
    const url = mediaUrl(name.bucket, name.path);
    return {
      url,
      colors,
      /** Records that the file belongs to the video, once the row references the file. */
      async commit(videoId: string) {
        await recordFile({ ...name, videoId, kind: "thumbnail", isClean: true });
        await withdrawAnnouncement([name]);
        removeSoon();
      },
      /** Removes the file, which no row references. */
      discard: () => removeUnreferenced([name], "discarded"),
    };
  } finally {
    await removeTemporary(encoded);
  }
}
