import { z } from "zod";
import { assertAllowed, type SessionUser } from "~/features/permissions/guard.server";
import { removeSoon } from "~/media/files/removals.server";
import { receiveMultipart } from "~/media/intake/multipart.server";
import { discardReceived } from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { BUSY, type Failure, failure, INCOMPLETE } from "~/platform/failure";
import { readForm, readSmallForm } from "~/platform/small-form.server";
import { formatQuantity } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { isBusy } from "~db/write-lock";
import {
  DOCUMENT_LABELS,
  type DocumentKind,
  dayOf,
  IDENTITY_LABELS,
  type IdentityDocument,
  isAdultOn,
  isDay,
} from "./consent";
import { documentReceiver, removeDocument, storeDocument } from "./documents.server";
import {
  deletePerformer,
  findPerformer,
  type ParsedPerformer,
  savePerformer,
} from "./performers.server";

const FAILED = "Nothing was changed.";
const GONE = "This performer no longer exists.";
const CHANGED =
  "Someone else changed this record in the meantime. Compare it with your changes, then save again.";

export interface PerformerFailure extends Failure {
  typed?: PerformerTexts;
  fields?: PerformerErrors;
  document?: string;
}

/** Where to redirect after a change, with the toast to show. */
interface Done {
  to: string;
  toast: ToastMessage;
}

/**
 * Handles a form on a performer's page. `intent` is `save`, `add-document` (multipart), `remove-document` or `forget`.
 *
 * @param id the performer's id, or `new` for a new performer.
 */
export async function performPerformerForm(
  request: Request,
  id: string,
  user: SessionUser,
): Promise<PerformerFailure | Done> {
  try {
    if (/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
      return await addDocument(request, id, user);
    }
    return await perform(await readSmallForm(request), id, user);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return failure(503, FAILED, { detail: BUSY });
  }
}

async function perform(
  form: FormData,
  id: string,
  user: SessionUser,
): Promise<PerformerFailure | Done> {
  const intent = form.get("intent");
  if (intent === "save") return save(form, id, user);
  if (intent === "remove-document") {
    assertAllowed(user, "/admin/consent/:id remove-document");
    const about = { id: String(form.get("document")), performerId: id, userId: user.id };
    const hidden = await removeDocument(about);
    if (hidden === undefined) {
      return failure(404, FAILED, { detail: "This document was already deleted." });
    }
    return done(id, `Document deleted.${messageOf(hidden)}`);
  }
  if (intent === "forget") {
    assertAllowed(user, "/admin/consent/:id forget");
    if (!form.get("sure")) {
      return failure(422, FAILED, {
        detail: "Check “Delete all data about this performer” first.",
      });
    }
    const forgotten = await deletePerformer(id, user.id);
    if (forgotten === undefined) return failure(404, FAILED, { detail: GONE });
    removeSoon();
    return done("", `All data about this performer deleted.${messageOf(forgotten)}`);
  }
  // The form was sent without a file.
  if (intent === "add-document") assertAllowed(user, "/admin/consent/:id add-document");
  return INCOMPLETE;
}

async function save(
  form: FormData,
  id: string,
  user: SessionUser,
): Promise<PerformerFailure | Done> {
  const isNew = id === "new";
  const before = isNew ? undefined : findPerformer(id);
  if (!isNew && !before) return failure(404, FAILED, { detail: GONE });
  const { shown, ...typed } = readForm(PERFORMER_FORM, form)!;
  const read = readPerformer(typed, dayOf(Date.now()), {
    hasPayload: before?.isReadable ?? true,
    isNew,
  });
  if ("errors" in read) return { ...failure(422, FAILED), typed, fields: read.errors };
  const existing = isNew ? undefined : { id, shown };
  const saved = await savePerformer(read.performer, user.id, existing);
  if (saved === "gone") return failure(404, FAILED, { detail: GONE });
  if (saved === "changed") return { ...failure(409, FAILED, { detail: CHANGED }), typed };
  return done(saved.id, `Record saved.${messageOf(saved.hidden)}`);
}

async function addDocument(
  request: Request,
  id: string,
  user: SessionUser,
): Promise<PerformerFailure | Done> {
  assertAllowed(user, "/admin/consent/:id add-document");
  const arriving = documentReceiver();
  const { fields, files, error } = await receiveMultipart(request, { document: arriving.rule });
  const received = files.get("document");
  try {
    if (error) throw error;
    const kind = fields.get("kind") ?? "";
    if (fields.get("intent") !== "add-document" || !Object.hasOwn(DOCUMENT_LABELS, kind))
      return INCOMPLETE;
    if (!received) throw new UploadError(422, "Please choose a file.", "document");
    const about = { performerId: id, kind: kind as DocumentKind, userId: user.id };
    if (!(await storeDocument(about, arriving, received))) {
      return failure(404, FAILED, { detail: GONE });
    }
    return done(id, "Document encrypted and stored.");
  } catch (failed) {
    if (!(failed instanceof UploadError)) throw failed;
    return { ...failure(failed.status, "The document was not stored."), document: failed.message };
  } finally {
    await discardReceived(received);
  }
}

function messageOf(hidden: number): string {
  if (hidden === 0) return "";
  return ` ${formatQuantity(hidden, "video")} without a valid record ${hidden === 1 ? "is" : "are"} now on hold.`;
}

function done(id: string, description: string): Done {
  const to = id ? `/admin/consent/${encodeURIComponent(id)}` : "/admin/consent";
  return { to, toast: success("Consent", description) };
}

const MAX_STAGE_NAMES = 20;
const MAX_STAGE_NAME_LENGTH = 100;
const MAX_LEGAL_NAME_LENGTH = 200;

const text = z.string().default("");
/** The form's fields as text, with one stage name per line. */
const PERFORMER_FORM = z.object({
  ...{ shown: text, stageNames: text, legalName: text },
  ...{ dateOfBirth: text, documentKind: text, checkedOn: text },
});
export type PerformerTexts = Omit<z.infer<typeof PERFORMER_FORM>, "shown">;

type PerformerField = keyof PerformerTexts;
export type PerformerErrors = Partial<Record<PerformerField, string>>;

const MINOR_MESSAGE =
  "This person is under 18, so videos of them must not be published. If a video on this site shows them, report it as “Possible minor”.";
const CONTROL = /\p{Cc}/u;
const oneLine = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim();

/**
 * Parses the form. Returns the performer, or an error message for each invalid field.
 *
 * @param hasPayload false if the legal name and date of birth can't be read and therefore can't be changed.
 * @param isNew whether this person has no record yet. A performer under 18 is refused only in that case, because
 *   correcting an existing record puts the videos that show the performer on hold.
 * @param today the current date in UTC, as YYYY-MM-DD.
 */
export function readPerformer(
  typed: PerformerTexts,
  today: string,
  { hasPayload = true, isNew = false }: { hasPayload?: boolean; isNew?: boolean } = {},
): { performer: ParsedPerformer } | { errors: PerformerErrors } {
  const errors: PerformerErrors = {};
  const stageNames = [...new Set(typed.stageNames.split(/\r?\n/).map(oneLine).filter(Boolean))];
  if (stageNames.length === 0) errors.stageNames = "Please enter at least one stage name.";
  else if (stageNames.length > MAX_STAGE_NAMES) {
    errors.stageNames = `Please enter at most ${MAX_STAGE_NAMES} stage names.`;
  } else if (stageNames.some((name) => name.length > MAX_STAGE_NAME_LENGTH || CONTROL.test(name))) {
    errors.stageNames = `Each stage name can have at most ${MAX_STAGE_NAME_LENGTH} characters.`;
  }
  const legalName = oneLine(typed.legalName);
  if (
    hasPayload &&
    (!legalName || legalName.length > MAX_LEGAL_NAME_LENGTH || CONTROL.test(legalName))
  ) {
    errors.legalName = "Please enter the name as shown on the document.";
  }
  if (hasPayload && (!isDay(typed.dateOfBirth) || typed.dateOfBirth > today)) {
    errors.dateOfBirth = "Please enter a date in the past, such as 1990-12-31.";
  } else if (isNew && !isAdultOn(typed.dateOfBirth, today)) {
    errors.dateOfBirth = MINOR_MESSAGE;
  }
  const isKnown = Object.hasOwn(IDENTITY_LABELS, typed.documentKind);
  const documentKind = isKnown ? (typed.documentKind as IdentityDocument) : null;
  const checkedOn = typed.checkedOn || null;
  if (checkedOn !== null && (!isDay(checkedOn) || checkedOn > today)) {
    errors.checkedOn = "Please enter the date of the check. It can’t be in the future.";
  } else if (checkedOn !== null && documentKind === null) {
    errors.documentKind = "Please choose the document that was checked.";
  }
  if (Object.keys(errors).length > 0) return { errors };
  const { dateOfBirth } = typed;
  return { performer: { stageNames, legalName, dateOfBirth, documentKind, checkedOn } };
}
