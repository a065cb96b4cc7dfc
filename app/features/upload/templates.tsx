import { Link } from "@remix-run/react";
import type { MouseEvent } from "react";
import { buttonClass } from "~/ui/button";

/** What an upload can begin with: the texts that several videos share. */
export interface StartTexts {
  description: string;
  /** An id, or empty. */
  category: string;
  /** Separated by commas. */
  tags: string;
}

export interface UploadTemplate extends StartTexts {
  id: number;
  name: string;
  /** The form begins with it by itself. */
  isDefault: boolean;
}

/** What the upload form can begin with, and what it begins with now. */
export interface UploadStart {
  templates: UploadTemplate[];
  /** Those of the user's last upload. */
  last?: StartTexts;
  texts?: StartTexts;
}

/** The texts alone of what may be a template. */
export function textsOf(start: StartTexts | undefined): Partial<StartTexts> {
  if (!start) return {};
  const { description, category, tags } = start;
  return { description, category, tags };
}

export const MAX_TEMPLATE = 50;
export const MAX_TEMPLATE_NAME_LENGTH = 60;

/** The address of the upload form that begins with a template, or with the last values. */
function startHref(start: number | "last"): string {
  return `/admin?start=${start}`;
}

/** The address of the page of templates, with the form of one of them if it is named. */
export function templatesHref(id?: number): string {
  return id === undefined ? "/admin/templates" : `/admin/templates?template=${id}`;
}

/**
 * What the upload form can begin with. Each is an address; with scripts the fields are filled in where they
 * stand, so that chosen files stay chosen.
 */
export function StartChoice({
  start: { templates, last },
  onChoose,
}: {
  start: UploadStart;
  onChoose: (texts: StartTexts) => void;
}) {
  const choices = [
    ...(last ? [{ key: "last" as const, name: "As last time", texts: last }] : []),
    ...templates.map((each) => ({ key: each.id, name: each.name, texts: each })),
  ];
  return (
    <nav aria-label="Begin with" className="flex flex-wrap items-center gap-2 text-sm">
      {choices.length > 0 && <span className="text-muted">Begin with</span>}
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

/** Puts the texts into the fields of a form, as if they were typed. */
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
