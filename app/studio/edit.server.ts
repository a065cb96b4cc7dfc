import { recordActivity } from "~/account/activity.server";
import { toCategoryId } from "~/catalogue/categories";
import { formatDuration, parseDuration } from "~/catalogue/format";
import type { ArrivedFile } from "~/media/arriving.server";
import { UploadRefused } from "~/media/upload-refused.server";
import { database } from "~db/client.server";
import { type NewThumbnail, placeNewThumbnail } from "./edit-thumbnail.server";
import { type EditTexts, failure, GONE, type RefusedEdit, type StudioFailure } from "./failure";
import { findEditable } from "./list.server";
import { EDITABLE_COLUMNS, toEditable } from "./managed-row.server";
import type { EditableVideo } from "./managed-video";
import { parseTags } from "./tags";
import { MAX_DESCRIPTION_LETTERS, MAX_TITLE_LETTERS, SENTENCES } from "./upload-fields";

const FAILED = "Failed to update video.";
const CHANGED =
  "This video has changed since you opened it. Nothing was overwritten: compare, then update.";

export interface Edit {
  id: string;
  /** What the form showed when it was opened; absent from a plain client, which then overwrites. */
  version?: string;
  /** A field that was not sent stays as it is. */
  texts: Partial<EditTexts>;
  /** A picture to show instead of the one there is. */
  thumbnail?: ArrivedFile;
  /** Why the picture that was sent did not arrive. */
  refusal?: UploadRefused;
}

/**
 * Changes title, description, category, tags and duration of a video, and its thumbnail if one came.
 *
 * @returns the failure when nothing was changed: 404 for a row that is gone, 409 when it has changed
 *   since the form was opened, 413, 415 or 507 for a picture that can't be taken, 422 when a field
 *   can't.
 */
export async function editVideo(edit: Edit, userId: string): Promise<StudioFailure | undefined> {
  const before = await findEditable(edit.id);
  if (!before) return failure(404, FAILED, { detail: GONE });
  let thumbnail: NewThumbnail | undefined;
  try {
    if (edit.refusal) throw edit.refusal;
    if (edit.thumbnail) thumbnail = await placeNewThumbnail(userId, edit.thumbnail);
  } catch (error) {
    if (!(error instanceof UploadRefused)) throw error;
    const texts = { ...textsOf(before), ...edit.texts };
    const version = edit.version ?? before.version;
    const refused = { current: before, version, texts, fields: { thumbnail: error.message } };
    return failure(error.status, FAILED, { edit: refused });
  }
  const outcome = await write(edit, thumbnail?.url).catch(async (error) => {
    await thumbnail?.drop();
    throw error;
  });
  if ("status" in outcome) {
    await thumbnail?.drop();
    return outcome;
  }
  await thumbnail?.keep(edit.id, outcome.thumbnailBefore);
  await recordActivity({ userId, action: "edit", subjectId: edit.id, detail: outcome.title });
  return undefined;
}

/** Reads, compares and writes the row in one transaction, so that nobody comes in between. */
function write(edit: Edit, thumbnailUrl: string | undefined) {
  return database()
    .transaction()
    .execute(async (transaction) => {
      const row = await transaction
        .selectFrom("videos")
        .select(EDITABLE_COLUMNS)
        .where("id", "=", edit.id)
        .executeTakeFirst();
      if (!row) return failure(404, FAILED, { detail: GONE });
      const current = toEditable(row);
      const texts = { ...textsOf(current), ...edit.texts };
      const { changes, fields } = readTexts(texts);
      const { version } = current;
      if (edit.version !== undefined && edit.version !== version) {
        return failure(409, FAILED, { edit: { current, version, texts, fields }, detail: CHANGED });
      }
      if (Object.keys(fields).length > 0) {
        return failure(422, FAILED, { edit: { current, version, texts, fields } });
      }
      await transaction
        .updateTable("videos")
        .set({
          ...changes,
          ...(thumbnailUrl && { thumbnail_url: thumbnailUrl }),
          updated_at: new Date().toISOString(),
        })
        .where("id", "=", edit.id)
        .execute();
      return { title: changes.title, thumbnailBefore: row.thumbnail_url };
    });
}

/** The fields of the edit form for a video as it is. */
export function textsOf(video: EditableVideo): EditTexts {
  return {
    title: video.title,
    description: video.description,
    category: toCategoryId(video.category) ?? video.category,
    tags: video.tags.join(", "),
    duration: video.duration,
  };
}

/** What the texts say, or what is wrong with them, field by field. */
function readTexts(texts: EditTexts) {
  const fields: RefusedEdit["fields"] = {};
  const title = texts.title.trim();
  const description = texts.description.replaceAll("\r\n", "\n").trim();
  const category = toCategoryId(texts.category);
  const seconds = texts.duration.trim() === "" ? 0 : parseDuration(texts.duration);
  const tags = parseTags(texts.tags);
  if (title === "") fields.title = SENTENCES.missing;
  else if (title.length > MAX_TITLE_LETTERS) fields.title = tooLong(MAX_TITLE_LETTERS);
  if (description.length > MAX_DESCRIPTION_LETTERS) {
    fields.description = tooLong(MAX_DESCRIPTION_LETTERS);
  }
  if (!category) fields.category = "Choose one of the categories.";
  if (seconds === undefined) fields.duration = "Write minutes:seconds, such as 5:30.";
  if (typeof tags === "string") fields.tags = tags;
  return {
    fields,
    changes: {
      title,
      description,
      category: category ?? texts.category,
      duration: formatDuration(seconds ?? 0),
      tags: typeof tags === "string" || tags.length === 0 ? null : JSON.stringify(tags),
    },
  };
}

function tooLong(letters: number): string {
  return `Use at most ${letters.toLocaleString("en")} characters.`;
}
