// Use zod/mini to keep the upload page's script small, because this module is part of it.
import * as z from "zod/mini";
import { CATEGORY_IDS, toCategoryId } from "./categories";
import { parseDuration } from "./format";
import { MAX_DESCRIPTION_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from "./video-limits";

/**
 * Validation of a video's text fields in the upload form, resumable uploads, the edit form, bulk changes and imports
 * (specification, sections 3 and 5). Messages are shown next to the field. No form library is used, because it would be
 * several times as large as these rules and couldn't distinguish an empty tags field, which clears the tags, from one
 * that wasn't sent.
 */

/** Removes line breaks and invisible characters from a title or tag. */
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
      z.minLength(1, "Enter a title."),
      z.maxLength(MAX_TITLE_LENGTH, `Use at most ${MAX_TITLE_LENGTH} characters.`),
    ),
);

export const description = z.pipe(
  paragraphs,
  z
    .string()
    .check(
      z.maxLength(
        MAX_DESCRIPTION_LENGTH,
        `Use at most ${MAX_DESCRIPTION_LENGTH.toLocaleString("en")} characters.`,
      ),
    ),
);

const NO_CATEGORY = "Choose a category.";

/** A category's current id. */
const category = z.enum(CATEGORY_IDS, NO_CATEGORY);

/** A row's category, which may be a legacy value and is converted to the current id. */
export const anyCategory = z.pipe(
  z.pipe(
    z.string(),
    z.transform((id: string) => toCategoryId(id)),
  ),
  category,
);

/**
 * Tags separated by commas. They are trimmed; empty tags and duplicates that differ only in case are removed
 * (specification, section 5).
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
        .check(z.maxLength(MAX_TAG_LENGTH, `Use at most ${MAX_TAG_LENGTH} characters per tag.`)),
    )
    .check(z.maxLength(MAX_TAGS, `Use at most ${MAX_TAGS} tags.`)),
);

/** A duration such as `5:30`, parsed into seconds. An empty field becomes 0. */
const duration = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text: string) => (text.trim() === "" ? 0 : parseDuration(text))),
  ),
  z.number("Use minutes:seconds, such as 5:30."),
);

/** The fields of the edit form. */
export const videoTexts = z.object({ title, description, category: anyCategory, tags, duration });

/** The fields of the upload form: the description is required, and the duration is only a hint. */
export const newVideoTexts = z.object({
  title,
  description: z.pipe(description, z.string().check(z.minLength(1, "Enter a description."))),
  category,
  tags,
  duration: z.catch(z.optional(duration), undefined),
});

/** The fields of a video form as they were typed. */
export type TypedTexts = Record<keyof z.infer<typeof videoTexts>, string>;

type VideoTexts = z.infer<typeof videoTexts>;
export type NewVideoTexts = Omit<VideoTexts, "duration"> & { duration?: number | undefined };

/**
 * The parsed value, or the first message for each invalid field. The key is `""` for the message of a value that isn't
 * an object.
 */
export type Checked<T> =
  | { ok: true; value: T }
  | { ok: false; fields: Partial<Record<string, string>> };

/** Returns the message for a single invalid value. */
export function firstMessage({ fields }: { fields: Partial<Record<string, string>> }): string {
  return Object.values(fields)[0] ?? "";
}

/** Checks a value against one of the schemas above. */
export function check<T>(schema: z.ZodMiniType<T>, value: unknown): Checked<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const fields: Partial<Record<string, string>> = {};
  for (const { path, message } of result.error.issues) fields[String(path[0] ?? "")] ??= message;
  return { ok: false, fields };
}
