import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData, useLocation, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readFields } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { MAX_DESCRIPTION_LENGTH } from "~/shared/video-limits";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { success } from "~/ui/feedback/toast-message";
import { CheckboxField, Field, SelectField, TextAreaField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { MAX_TEMPLATE_NAME_LENGTH, templatesHref, type UploadTemplate } from "../templates";
import {
  deleteTemplate,
  restoreTemplate,
  saveTemplate,
  type TemplateFailure,
  templatesOf,
} from "../templates.server";
import { CategoryOptions } from "../upload-text-fields";

export const meta = privateMeta("Templates");

const PERMISSION = "/admin/templates";
const MAX_FORM_BYTES = 64 * 1024;
const GONE = "This template no longer exists.";

export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  const templates = templatesOf(user.id);
  const requestedId = new URL(request.url).searchParams.get("template");
  const edited = templates.find(({ id }) => String(id) === requestedId);
  const isGone = requestedId !== null && !edited;
  return data({ templates, edited, isGone }, { status: isGone ? 404 : 200 });
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  requireOwnOrigin(request);
  const form = await readFields(request, MAX_FORM_BYTES);
  const text = (name: string) => String(form.get(name) ?? "");
  const id = /^\d{1,15}$/.test(text("template")) ? Number(text("template")) : undefined;
  const back = (...message: Parameters<typeof success>) =>
    redirectWithToast(templatesHref(), success(...message));
  const refuse = (error: TemplateFailure) => data({ error }, { status: error.status });
  const intent = text("intent");
  if (intent === "save") {
    const typed = {
      ...{ name: text("name"), description: text("description"), category: text("category") },
      ...{ tags: text("tags"), isDefault: form.has("default") },
    };
    const failed = await saveTemplate(user.id, id, typed);
    if (failed) return refuse(failed);
    throw back("Template Saved", `You can now start uploads from “${typed.name.trim()}”.`);
  }
  if ((intent !== "delete" && intent !== "restore") || id === undefined) {
    return refuse(failure(400, "This form is incomplete."));
  }
  if (intent === "restore") {
    const restored = await restoreTemplate(user.id, id);
    if (typeof restored !== "string") return refuse(restored);
    throw back("Template Restored", `“${restored}” was restored.`);
  }
  const name = await deleteTemplate(user.id, id);
  if (name === undefined) return refuse(failure(404, "Nothing was changed.", { detail: GONE }));
  throw back("Template Deleted", `“${name}” was deleted.`, {
    label: "Undo",
    to: templatesHref(),
    fields: { intent: "restore", template: String(id) },
  });
}

export default function Templates() {
  const { templates, edited, isGone } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: TemplateFailure }>()?.error;
  const busy = String(useNavigation().formData?.get("intent") ?? "") || undefined;
  const { key } = useLocation();
  return (
    <AdminPage
      title="Templates"
      lead="Reusable details for your uploads, visible only to you."
      error={error}
    >
      {isGone && <FailureNotice toast={failure(404, GONE).toast} />}
      {templates.length > 0 && (
        <ul aria-label="Templates" className="ruled rounded-lg border border-line bg-surface">
          {templates.map(({ id, name, isDefault }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 px-3 py-1 sm:px-4">
              <Link
                to={templatesHref(id)}
                dir="auto"
                className="flex min-h-11 min-w-0 grow items-center font-medium hover:text-accent"
              >
                <span className="min-w-0 break-words">{name}</span>
              </Link>
              {isDefault && <Badge tone="accent">Default</Badge>}
              <Form method="post" action={templatesHref()} preventScrollReset>
                <input type="hidden" name="template" value={id} />
                <Button
                  name="intent"
                  value="delete"
                  variant="ghost"
                  size="sm"
                  aria-label={`Delete ${name}`}
                >
                  Delete
                </Button>
              </Form>
            </li>
          ))}
        </ul>
      )}
      <TemplateForm
        key={`${edited?.id} ${key}`}
        template={edited}
        error={error}
        busy={busy === "save"}
      />
      {edited && (
        <ButtonLink to={templatesHref()} variant="ghost" className="self-start">
          New template
        </ButtonLink>
      )}
    </AdminPage>
  );
}

/** The form for a new or existing template. */
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
      <h2 className="text-lg font-semibold">{template ? "Edit template" : "New template"}</h2>
      <input type="hidden" name="intent" value="save" />
      {template && <input type="hidden" name="template" value={template.id} />}
      <Field
        label="Name"
        name="name"
        required
        maxLength={MAX_TEMPLATE_NAME_LENGTH}
        defaultValue={texts?.name}
        error={wrong.name}
      />
      <TextAreaField
        label="Description"
        name="description"
        maxLength={MAX_DESCRIPTION_LENGTH}
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
      <CheckboxField label="Use by default" name="default" defaultChecked={texts?.isDefault} />
      <Button busy={busy} busyLabel="Saving..." className="self-start">
        Save template
      </Button>
    </Form>
  );
}
