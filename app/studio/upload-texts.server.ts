import { isCategoryId } from "~/catalogue/categories";
import { parseDuration } from "~/catalogue/format";
import type { VideoTexts } from "./publish.server";
import { parseTags } from "./tags";
import {
  MAX_DESCRIPTION_LETTERS,
  MAX_TITLE_LETTERS,
  SENTENCES,
  type UploadField,
  type UploadTexts,
} from "./upload-fields";

/** The texts of a form as they were typed; a field that was not sent is empty. */
export function typedTexts(fields: ReadonlyMap<string, string>): UploadTexts {
  const text = (name: string) => fields.get(name) ?? "";
  return {
    title: text("title"),
    description: text("description"),
    category: text("category"),
    tags: text("tags"),
    duration: text("duration"),
  };
}

type Checked =
  | { ok: true; texts: VideoTexts }
  | { ok: false; sentence: string; fields: Partial<Record<UploadField, string>> };

/** The texts as the catalogue takes them, or what is wrong with each field. */
export function checkTexts(typed: UploadTexts): Checked {
  const title = withoutControls(typed.title).trim();
  const description = typed.description.replaceAll("\r\n", "\n").trim();
  const category = typed.category;
  const tags = parseTags(withoutControls(typed.tags));
  const fields: Partial<Record<UploadField, string>> = {};

  if (!title) fields.title = "A title is needed.";
  if (!description) fields.description = "A description is needed.";
  if (!isCategoryId(category)) fields.category = "A category is needed.";
  if (Object.keys(fields).length > 0) return { ok: false, sentence: SENTENCES.missing, fields };

  if (title.length > MAX_TITLE_LETTERS) {
    fields.title = `A title has at most ${MAX_TITLE_LETTERS} characters.`;
  }
  if (description.length > MAX_DESCRIPTION_LETTERS) {
    fields.description = `A description has at most ${MAX_DESCRIPTION_LETTERS} characters.`;
  }
  if (typeof tags === "string") fields.tags = tags;
  const wrong = Object.values(fields)[0];
  if (wrong || typeof tags === "string" || !isCategoryId(category)) {
    return { ok: false, sentence: wrong ?? SENTENCES.failed, fields };
  }
  const durationSeconds = parseDuration(typed.duration);
  return { ok: true, texts: { title, description, category, tags, durationSeconds } };
}

/** A title or a tag is one line of visible letters. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
