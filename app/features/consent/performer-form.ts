import { IDENTITY_LABELS, type IdentityDocument, isAdultOn, isDay } from "./consent";

const MOST_STAGE_NAMES = 20;
const LONGEST_NAME = 100;
const LONGEST_LEGAL_NAME = 200;

/** The fields of the form as they were typed. */
export interface PerformerTexts {
  /** One a line. */
  stageNames: string;
  legalName: string;
  dateOfBirth: string;
  documentKind: string;
  checkedOn: string;
}

export const EMPTY_PERFORMER: PerformerTexts = {
  stageNames: "",
  legalName: "",
  dateOfBirth: "",
  documentKind: "",
  checkedOn: "",
};

type PerformerField = keyof PerformerTexts;
export type PerformerErrors = Partial<Record<PerformerField, string>>;

export interface ParsedPerformer {
  stageNames: string[];
  legalName: string;
  dateOfBirth: string;
  documentKind: IdentityDocument | null;
  checkedOn: string | null;
}

const UNDER_AGE =
  "This person is under 18, so nothing that shows them may be published. If a video here shows them, report it as under age.";
const CONTROL = /\p{Cc}/u;
const oneLine = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim();

/**
 * What was typed, or what is wrong with it.
 *
 * @param hasBox false where legal name and date of birth can't be read, and so can't be changed.
 * @param isNew whether this person has no record yet. Only then is somebody under 18 refused: a correction of
 *   a record holds the videos that show them.
 * @param today YYYY-MM-DD in UTC.
 */
export function readPerformer(
  typed: PerformerTexts,
  today: string,
  { hasBox = true, isNew = false }: { hasBox?: boolean; isNew?: boolean } = {},
): { performer: ParsedPerformer } | { errors: PerformerErrors } {
  const errors: PerformerErrors = {};
  const stageNames = [...new Set(typed.stageNames.split(/\r?\n/).map(oneLine).filter(Boolean))];
  if (stageNames.length === 0) errors.stageNames = "Please give at least one stage name.";
  else if (stageNames.length > MOST_STAGE_NAMES) {
    errors.stageNames = `At most ${MOST_STAGE_NAMES} stage names, please.`;
  } else if (stageNames.some((name) => name.length > LONGEST_NAME || CONTROL.test(name))) {
    errors.stageNames = `Each stage name can have at most ${LONGEST_NAME} characters.`;
  }
  const legalName = oneLine(typed.legalName);
  if (hasBox && (!legalName || legalName.length > LONGEST_LEGAL_NAME || CONTROL.test(legalName))) {
    errors.legalName = "Please give the name that the document shows.";
  }
  if (hasBox && (!isDay(typed.dateOfBirth) || typed.dateOfBirth > today)) {
    errors.dateOfBirth = "Please give a day in the past, as 1990-12-31.";
  } else if (isNew && !isAdultOn(typed.dateOfBirth, today)) {
    errors.dateOfBirth = UNDER_AGE;
  }
  const isKnown = Object.hasOwn(IDENTITY_LABELS, typed.documentKind);
  const documentKind = isKnown ? (typed.documentKind as IdentityDocument) : null;
  const checkedOn = typed.checkedOn || null;
  if (checkedOn !== null && (!isDay(checkedOn) || checkedOn > today)) {
    errors.checkedOn = "Please give the day on which it was checked; it can't be later than today.";
  } else if (checkedOn !== null && documentKind === null) {
    errors.documentKind = "Please say which document was checked.";
  }
  if (Object.keys(errors).length > 0) return { errors };
  const { dateOfBirth } = typed;
  return { performer: { stageNames, legalName, dateOfBirth, documentKind, checkedOn } };
}
