import { type Failure, failure } from "~/platform/failure";
import { toCategoryId } from "~/shared/categories";
import { check, description, firstMessage, tags, title } from "~/shared/video-fields";
import { prepared, transaction } from "~db/client.server";
import { readTags } from "~db/tags";
import {
  MAX_TEMPLATE,
  MAX_TEMPLATE_NAME_LENGTH,
  type StartTexts,
  type UploadStart,
  type UploadTemplate,
} from "./templates";

const RESTORABLE_MS = 30 * 24 * 60 * 60 * 1000;
const FAILED = "Couldn't save the template.";
const NOT_RESTORED = "Couldn't restore the template.";
const GONE = "This template no longer exists.";

type TypedTemplate = Omit<UploadTemplate, "id">;
type TemplateField = "name" | "description" | "tags" | "category";

/** A rejected form, including the entered values. */
export interface TemplateFailure extends Failure {
  typed?: TypedTemplate;
  fields?: Partial<Record<TemplateField, string>>;
}

/** Returns a user's templates, sorted by name. */
export function templatesOf(userId: string): UploadTemplate[] {
  const rows = prepared<Omit<UploadTemplate, "isDefault"> & { isDefault: 0 | 1 }>(
    `SELECT id, name, description, category, tags, is_default AS isDefault FROM upload_templates
     WHERE user_id = ? AND deleted_at IS NULL ORDER BY name COLLATE NOCASE, id`,
  ).all(userId);
  return rows.map((row) => ({ ...row, isDefault: row.isDefault === 1 }));
}

/**
 * Returns the field values for filling in a user's upload form.
 *
 * @param requested a template's id, or `last`; null for the default.
 */
export function uploadStart(userId: string, requested: string | null): UploadStart {
  const templates = templatesOf(userId);
  const last = lastTexts(userId);
  const template = templates.find(({ id, isDefault }) =>
    requested === null ? isDefault : String(id) === requested,
  );
  return { templates, last, texts: requested === "last" ? last : template };
}

/** Returns the text field values of the user's newest video, without its title and duration. */
function lastTexts(userId: string): StartTexts | undefined {
  const row = prepared<{ description: string; category: string; tags: string | null }>(
    `SELECT description, category, tags FROM videos WHERE uploaded_by = ?
     ORDER BY sort_key DESC LIMIT 1`,
  ).get(userId);
  if (!row) return undefined;
  const category = toCategoryId(row.category) ?? "";
  return { description: row.description, category, tags: readTags(row.tags).join(", ") };
}

/**
 * Creates or changes a template.
 *
 * @returns a failure, if any: 404 if the template no longer exists, 409 if the name is taken, 422 for an invalid field
 * or too many templates.
 */
export async function saveTemplate(
  userId: string,
  id: number | undefined,
  typed: TypedTemplate,
): Promise<TemplateFailure | undefined> {
  const fields = wrongFields(typed);
  const [detail] = Object.values(fields);
  if (detail) return { ...failure(422, FAILED, { detail }), typed, fields };
  return transaction((): TemplateFailure | undefined => {
    const others = templatesOf(userId).filter((each) => each.id !== id);
    const name = typed.name.trim();
    const refusal = refusalOf(name, others);
    if (refusal) {
      const { status, detail } = refusal;
      return {
        ...failure(status, FAILED, { detail }),
        typed,
        ...(status === 409 && { fields: { name: detail } }),
      };
    }
    if (typed.isDefault) {
      prepared("UPDATE upload_templates SET is_default = 0 WHERE user_id = ?").run(userId);
    }
    const values = { ...typed, name, isDefault: Number(typed.isDefault), userId, id };
    if (id === undefined) {
      prepared(
        `INSERT INTO upload_templates (user_id, name, description, category, tags, is_default)
         VALUES (@userId, @name, @description, @category, @tags, @isDefault)`,
      ).run(values);
      return undefined;
    }
    const { changes } = prepared(
      `UPDATE upload_templates SET name = @name, description = @description, category = @category,
         tags = @tags, is_default = @isDefault
       WHERE id = @id AND user_id = @userId AND deleted_at IS NULL`,
    ).run(values);
    return changes === 0 ? { ...failure(404, FAILED, { detail: GONE }), typed } : undefined;
  });
}

/** Deletes a user's template. It can be restored for 30 days. Returns the template's name if it existed. */
export function deleteTemplate(
  userId: string,
  id: number,
  now = Date.now(),
): Promise<string | undefined> {
  return transaction(() => {
    const statement = prepared<string>(
      `UPDATE upload_templates SET deleted_at = ?, is_default = 0
       WHERE id = ? AND user_id = ? AND deleted_at IS NULL RETURNING name`,
    );
    return statement.pluck().get(new Date(now).toISOString(), id, userId);
  });
}

/** Deletes the rows of templates deleted more than 30 days ago. */
export async function deleteOldTemplates(now = Date.now()): Promise<void> {
  const until = new Date(now - RESTORABLE_MS).toISOString();
  await transaction(() =>
    prepared("DELETE FROM upload_templates WHERE deleted_at <= ?").run(until),
  );
}

/**
 * Restores a template that a user deleted in the last 30 days.
 *
 * @returns the template's name, or a failure: 404 if it no longer exists, 409 if the name is taken, 422 if there are
 * too many.
 */
export function restoreTemplate(
  userId: string,
  id: number,
  now = Date.now(),
): Promise<string | TemplateFailure> {
  return transaction((): string | TemplateFailure => {
    const since = new Date(now - RESTORABLE_MS).toISOString();
    const name = prepared<string>(
      "SELECT name FROM upload_templates WHERE id = ? AND user_id = ? AND deleted_at > ?",
    )
      .pluck()
      .get(id, userId, since);
    if (name === undefined) return failure(404, NOT_RESTORED, { detail: GONE });
    const refusal = refusalOf(name, templatesOf(userId));
    if (refusal) return failure(refusal.status, NOT_RESTORED, { detail: refusal.detail });
    prepared("UPDATE upload_templates SET deleted_at = NULL WHERE id = ?").run(id);
    return name;
  });
}

/** Returns the reason why a template with the given name can't be added. */
function refusalOf(
  name: string,
  others: readonly UploadTemplate[],
): { status: 409 | 422; detail: string } | undefined {
  if (others.some((each) => each.name.toLowerCase() === name.toLowerCase())) {
    return { status: 409, detail: `You already have a template named “${name}”.` };
  }
  if (others.length < MAX_TEMPLATE) return undefined;
  return { status: 422, detail: `You can have up to ${MAX_TEMPLATE} templates.` };
}

function wrongFields(typed: TypedTemplate): NonNullable<TemplateFailure["fields"]> {
  const name = typed.name.trim();
  const described = check(description, typed.description);
  const tagged = check(tags, typed.tags);
  return {
    ...((!check(title, name).ok || name.length > MAX_TEMPLATE_NAME_LENGTH) && {
      name: `Enter a name of 1 to ${MAX_TEMPLATE_NAME_LENGTH} characters.`,
    }),
    ...(!described.ok && { description: firstMessage(described) }),
    ...(typed.category !== "" &&
      !toCategoryId(typed.category) && { category: "Choose a category." }),
    ...(!tagged.ok && { tags: firstMessage(tagged) }),
  };
}
