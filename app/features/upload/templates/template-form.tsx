import { Form } from "@remix-run/react";
import { MAX_DESCRIPTION_LETTERS } from "~/shared/video-limits";
import { Button } from "~/ui/button";
import { Field, SelectField, TextAreaField } from "~/ui/forms/field";
import { CategoryOptions } from "../upload-text-fields";
import { MAX_TEMPLATE_NAME_LETTERS, templatesHref, type UploadTemplate } from "./template";
import type { TemplateFailure } from "./templates.server";

/** The fields of a template: of a new one, or of one that is changed. */
export function TemplateForm({
  template,
  error,
  busy,
}: {
  template: UploadTemplate | undefined;
  error: TemplateFailure | undefined;
  busy: boolean;
}) {
  const texts = error?.typed ?? template;
  const wrong = error?.fields ?? {};
  return (
    <Form
      method="post"
      action={templatesHref(template?.id)}
      noValidate
      aria-label={template ? `Template ${template.name}` : "New template"}
      className="flex max-w-2xl flex-col gap-4 border-t border-line pt-6"
    >
      <h2 className="text-lg font-semibold">{template ? "Change the template" : "New template"}</h2>
      <input type="hidden" name="intent" value="save" />
      {template && <input type="hidden" name="template" value={template.id} />}
      <Field
        label="Name"
        name="name"
        required
        maxLength={MAX_TEMPLATE_NAME_LETTERS}
        defaultValue={texts?.name}
        error={wrong.name}
      />
      <TextAreaField
        label="Description"
        name="description"
        maxLength={MAX_DESCRIPTION_LETTERS}
        defaultValue={texts?.description}
        error={wrong.description}
      />
      <SelectField
        label="Category"
        name="category"
        defaultValue={texts?.category}
        error={wrong.category}
      >
        <option value="">None</option>
        <CategoryOptions />
      </SelectField>
      <Field
        label="Tags"
        name="tags"
        hint="Separated by commas"
        defaultValue={texts?.tags}
        error={wrong.tags}
      />
      <label className="flex min-h-11 items-center gap-2 text-sm">
        <input
          type="checkbox"
          name="default"
          value="1"
          defaultChecked={texts?.isDefault}
          className="size-5 shrink-0"
        />
        The upload form begins with it by itself
      </label>
      <Button busy={busy} busyLabel="Saving..." className="self-start">
        Save template
      </Button>
    </Form>
  );
}
