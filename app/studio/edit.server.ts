import { recordActivity } from "~/account/activity.server";
import { toCategoryId } from "~/catalogue/categories";
import { formatDuration, parseDuration } from "~/catalogue/format";
import { database } from "~db/client.server";
import { type EditTexts, failure, GONE, type RefusedEdit, type StudioFailure } from "./failure";
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
}

/**
 * Changes title, description, category, tags and duration of a video.
 *
 * @returns the failure when nothing was changed: 404 for a row that is gone, 409 when it has changed
 *   since the form was opened, 422 when a field can't be taken.
 */
export async function editVideo(edit: Edit, userId: string): Promise<StudioFailure | undefined> {
  const outcome = await database()
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
      if (Object.keys(fields).length > 0) {
        return failure(422, FAILED, { edit: { current, texts, fields } });
      }
      if (edit.version !== undefined && edit.version !== current.version) {
        return failure(409, FAILED, { edit: { current, texts, fields }, detail: CHANGED });
      }
      await transaction
        .updateTable("videos")
        .set({ ...changes, updated_at: new Date().toISOString() })
        .where("id", "=", edit.id)
        .execute();
      return changes.title;
    });
  if (typeof outcome !== "string") return outcome;
  await recordActivity({ userId, action: "edit", subjectId: edit.id, detail: outcome });
  return undefined;
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
