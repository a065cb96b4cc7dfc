// The small variant of zod: this module is a part of the upload page's script.
import * as z from "zod/mini";
import { CATEGORY_IDS, toCategoryId } from "./categories";
import { parseDuration } from "./format";
import { MAX_DESCRIPTION_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from "./video-limits";

/**
 * The rules for the texts of a video, for the upload form, resumable uploads, the edit form, bulk
 * changes and imports alike (specification, sections 3 and 5). A message is the sentence that is shown
 * at the field. The forms don't use a library such as conform: it would be several times as large as these rules, and
 * can't tell an empty field, which clears the tags, from one that wasn't sent.
 */

/** A title or a tag is one line of visible letters. */
const asLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
const line = z.pipe(z.string(), z.transform(asLine));
const paragraphs = z.pipe(
  z.string(),
  z.transform((text: string) =>
    text
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll(/[^\P{Cc}\n\t]+/gu, "")
      .trim(),
  ),
);

export const title = z.pipe(
  line,
  z
    .string()
    .check(
      z.minLength(1, "A title is needed."),
      z.maxLength(MAX_TITLE_LENGTH, `A title has at most ${MAX_TITLE_LENGTH} characters.`),
    ),
);

export const description = z.pipe(
  paragraphs,
  z
    .string()
    .check(
      z.maxLength(
        MAX_DESCRIPTION_LENGTH,
        `A description has at most ${MAX_DESCRIPTION_LENGTH.toLocaleString("en")} characters.`,
      ),
    ),
);

const NO_CATEGORY = "Choose one of the categories.";

/** A category by today's id. */
const category = z.enum(CATEGORY_IDS, NO_CATEGORY);

/** Of a row that may still hold a legacy value; becomes today's id. */
export const anyCategory = z.pipe(
  z.pipe(
    z.string(),
    z.transform((id: string) => toCategoryId(id)),
  ),
  category,
);

/**
 * Texts between commas, trimmed, empty ones dropped, each once whatever its case (specification,
 * section 5).
 */
export const tags = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text: string) => {
      const seen = new Map<string, string>();
      for (const part of text.split(",")) {
        const tag = asLine(part);
        if (tag && !seen.has(tag.toLowerCase())) seen.set(tag.toLowerCase(), tag);
      }
      return [...seen.values()];
    }),
  ),
  z
    .array(
      z
        .string()
        .check(z.maxLength(MAX_TAG_LENGTH, `A tag has at most ${MAX_TAG_LENGTH} characters.`)),
    )
    .check(z.maxLength(MAX_TAGS, `A video has at most ${MAX_TAGS} tags.`)),
);

/** Seconds of `5:30` and the like; an empty text is 0. */
const duration = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text: string) => (text.trim() === "" ? 0 : parseDuration(text))),
  ),
  z.number("Write minutes:seconds, such as 5:30."),
);

/** A video that is edited. */
export const videoTexts = z.object({ title, description, category: anyCategory, tags, duration });

/** A video that is uploaded: the description is required, and its duration only a hint. */
export const newVideoTexts = z.object({
  title,
  description: z.pipe(description, z.string().check(z.minLength(1, "A description is needed."))),
  category,
  tags,
  duration: z.catch(z.optional(duration), undefined),
});

/** The fields of a form about a video, as somebody typed them. */
export type TypedTexts = Record<keyof z.infer<typeof videoTexts>, string>;

type VideoTexts = z.infer<typeof videoTexts>;
export type NewVideoTexts = Omit<VideoTexts, "duration"> & { duration?: number | undefined };

/** A value, or the first sentence about each field that is wrong; of a single field, about `""`. */
export type Checked<T> =
  | { ok: true; value: T }
  | { ok: false; fields: Partial<Record<string, string>> };

/** The sentence about a single value that is wrong. */
export function firstMessage({ fields }: { fields: Partial<Record<string, string>> }): string {
  return Object.values(fields)[0] ?? "";
}

/** Holds a value against one of the schemas above. */
export function check<T>(schema: z.ZodMiniType<T>, value: unknown): Checked<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const fields: Partial<Record<string, string>> = {};
  for (const { path, message } of result.error.issues) fields[String(path[0] ?? "")] ??= message;
  return { ok: false, fields };
}
