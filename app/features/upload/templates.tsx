import { Link } from "@remix-run/react";
import type { MouseEvent } from "react";
import { buttonClass } from "~/ui/button";

/** A set of field values for filling in the upload form. */
export interface StartTexts {
  description: string;
  /** A category's id, or an empty string. */
  category: string;
  /** The tags, separated by commas. */
  tags: string;
}

export interface UploadTemplate extends StartTexts {
  id: number;
  name: string;
  /** Whether the upload form is filled in from this template by default. */
  isDefault: boolean;
}

/** The choices for filling in the form (the templates and the last upload), and the values of the current choice. */
export interface UploadStart {
  templates: UploadTemplate[];
  /** The field values of the user's last upload. */
  last?: StartTexts;
  texts?: StartTexts;
}

/** Returns only the fields that can be part of a template. */
export function textsOf(start: StartTexts | undefined): Partial<StartTexts> {
  if (!start) return {};
  const { description, category, tags } = start;
  return { description, category, tags };
}

export const MAX_TEMPLATE = 50;
export const MAX_TEMPLATE_NAME_LENGTH = 60;

/** Returns the URL of the upload form, filled in from a template or the last upload. */
function startHref(start: number | "last"): string {
  return `/admin?start=${start}`;
}

/** Returns the URL of the templates page. If a template is given, the page shows its form. */
export function templatesHref(id?: number): string {
  return id === undefined ? "/admin/templates" : `/admin/templates?template=${id}`;
}

/**
 * Links that fill in the upload form from a template or the last upload. With JavaScript, they fill in the fields
 * without leaving the page, so that selected files stay selected.
 */
export function StartChoice({
  start: { templates, last },
  onChoose,
}: {
  start: UploadStart;
  onChoose: (texts: StartTexts) => void;
}) {
  const choices = [
    ...(last ? [{ key: "last" as const, name: "Last upload", texts: last }] : []),
    ...templates.map((each) => ({ key: each.id, name: each.name, texts: each })),
  ];
  return (
    <nav aria-label="Start from" className="flex flex-wrap items-center gap-2 text-sm">
      {choices.length > 0 && <span className="text-muted">Start from</span>}
      {choices.map(({ key, name, texts }) => (
        <Link
          key={key}
          to={startHref(key)}
          onClick={(event: MouseEvent) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onChoose(texts);
          }}
          className={buttonClass("secondary", "sm")}
        >
          <span className="min-w-0 break-words">{name}</span>
        </Link>
      ))}
      <Link
        to={templatesHref()}
        className="inline-flex min-h-11 items-center px-1 text-muted underline underline-offset-4 hover:text-ink mouse:min-h-9"
      >
        Templates
      </Link>
    </nav>
  );
}

/** Fills in a form's fields as if the user had typed the text. */
export function fillIn(form: HTMLFormElement | null, texts: StartTexts): void {
  for (const name of ["description", "category", "tags"] as const) {
    const field = form?.elements.namedItem(name);
    const isField =
      field instanceof HTMLInputElement ||
      field instanceof HTMLTextAreaElement ||
      field instanceof HTMLSelectElement;
    if (!isField) continue;
    field.value = texts[name];
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
