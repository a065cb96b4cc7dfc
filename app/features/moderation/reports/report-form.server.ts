import { mailbox } from "~/platform/settings/setting-rules";
import { REPORT_KINDS, type ReportKind } from "~db/schema/moderation";
import { KIND_TEXTS } from "./report-texts";

const LONGEST = { name: 200, email: 254, where: 4_000, what: 4_000 } as const;
/** Applies while the open reports take too much space. */
const LONGEST_SHORT = 500;
const SHORTEST_WHAT = 10;

/** The values of the form, to show it again. */
export interface TypedReport {
  name: string;
  email: string;
  where: string;
  what: string;
  /** The indexes of the ticked statements. */
  ticked: number[];
}

export type ReportErrors = Partial<
  Record<"where" | "what" | "name" | "email" | "statement" | "answer", string>
>;

export function toReportKind(value: unknown): ReportKind | undefined {
  return REPORT_KINDS.find((kind) => kind === value);
}

/**
 * Reads the form. Returns its values, and an error message for each invalid field.
 *
 * @param options.isShort whether only short texts are accepted.
 */
export function readReportForm(
  form: FormData,
  kind: ReportKind,
  { isShort = false }: { isShort?: boolean } = {},
): { typed: TypedReport; errors: ReportErrors } {
  const texts = KIND_TEXTS[kind];
  const line = (name: string) => plainText(form.get(name)).replace(/\s+/g, " ").trim();
  const typed = {
    name: line("name"),
    email: line("email"),
    where: plainText(form.get("where")).trim(),
    what: plainText(form.get("what")).trim(),
    ticked: texts.statements.flatMap((_, at) => (form.has(`statement-${at}`) ? at : [])),
  };
  const errors: ReportErrors = {};
  if (!typed.where) errors.where = "Please paste the address of the page.";
  if (typed.what.length < SHORTEST_WHAT) errors.what = "Please say in a sentence what is wrong.";
  if (texts.name && !typed.name)
    errors.name = "Please enter your name. This kind of report requires it.";
  if (typed.email && !mailbox.safeParse(typed.email).success) {
    errors.email = "Please enter a valid email address.";
  }
  for (const field of ["where", "what", "name", "email"] as const) {
    const longest = isShort ? Math.min(LONGEST[field], LONGEST_SHORT) : LONGEST[field];
    if (typed[field].length > longest) {
      errors[field] = `Please use at most ${longest.toLocaleString("en")} characters.`;
    }
  }
  if (typed.ticked.length < texts.statements.length) {
    errors.statement = "Please confirm this statement to send the report.";
  }
  return { typed, errors };
}

/**
 * Removes control characters and characters that change the text direction (Unicode TR 9), which could disguise the
 * text. Line breaks and tabs stay.
 */
export function plainText(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .replace(/\r\n?/g, "\n")
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
      "",
    );
}
