import { check, type NewVideoTexts, newVideoTexts } from "~/shared/video-fields";
import { SENTENCES, type UploadField, type UploadTexts } from "./upload-fields";

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

type CheckedTexts =
  | { ok: true; texts: NewVideoTexts }
  | { ok: false; sentence: string; fields: Partial<Record<UploadField, string>> };

/** The texts as the catalogue takes them, or what is wrong with each field. */
export function checkTexts(typed: UploadTexts): CheckedTexts {
  const checked = check(newVideoTexts, typed);
  if (checked.ok) return { ok: true, texts: checked.value };
  const { fields } = checked;
  const isMissing = (["title", "description", "category"] as const).some(
    (name) => fields[name] !== undefined && typed[name].trim() === "",
  );
  const [first] = Object.values(fields);
  return {
    ok: false,
    sentence: isMissing ? SENTENCES.missing : (first ?? SENTENCES.failed),
    fields,
  };
}
