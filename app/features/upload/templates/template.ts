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

export const TEMPLATE_MOST = 50;
export const MAX_TEMPLATE_NAME_LETTERS = 60;

/** The address of the upload form that begins with a template, or with the last values. */
export function startHref(start: number | "last"): string {
  return `/admin?start=${start}`;
}

/** The address of the page of templates, with the form of one of them if it is named. */
export function templatesHref(id?: number): string {
  return id === undefined ? "/admin/templates" : `/admin/templates?template=${id}`;
}
