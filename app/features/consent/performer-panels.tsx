import { Form, Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { formatBytes } from "~/shared/format-bytes";
import { StatusBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import {
  CheckField,
  Field,
  FileField,
  Options,
  SelectField,
  TextAreaField,
} from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { consentHref, DOCUMENT_LABELS, IDENTITY_LABELS } from "./consent";
import type { PerformerErrors, PerformerTexts } from "./performer-action.server";
import type { Performer, PerformerDocument } from "./performers.server";

export function PerformerForm({
  typed,
  errors = {},
  shown,
  isReadable,
}: {
  typed: PerformerTexts;
  errors?: PerformerErrors;
  /** The version of the record shown in the form; empty for a new performer. */
  shown: string;
  isReadable: boolean;
}) {
  return (
    <PageSection id="record" title="Record">
      {!isReadable && (
        <p role="status" className="text-sm text-bad">
          The legal name and date of birth can’t be read because the secret that encrypted them is
          missing. Nothing is lost: restore the earlier SESSION_SECRET, or the records-secret file
          next to the database.
        </p>
      )}
      <Form method="post" className="flex flex-col gap-4" key={shown}>
        <input type="hidden" name="shown" value={shown} />
        <TextAreaField
          label="Stage names"
          name="stageNames"
          rows={3}
          required
          hint="One per line. The first one is shown in lists."
          defaultValue={typed.stageNames}
          error={errors.stageNames}
        />
        {isReadable && (
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <Field
              label="Legal name"
              name="legalName"
              required
              autoComplete="off"
              hint="As shown on the document. Encrypted."
              defaultValue={typed.legalName}
              error={errors.legalName}
            />
            <Field
              label="Date of birth"
              name="dateOfBirth"
              type="date"
              required
              autoComplete="off"
              hint="Encrypted."
              defaultValue={typed.dateOfBirth}
              error={errors.dateOfBirth}
            />
          </div>
        )}
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <SelectField
            label="Checked document"
            name="documentKind"
            defaultValue={typed.documentKind}
            error={errors.documentKind}
          >
            <option value="">None yet</option>
            <Options labels={IDENTITY_LABELS} />
          </SelectField>
          <Field
            label="Checked on"
            name="checkedOn"
            type="date"
            hint="Leave blank until the document has been checked."
            defaultValue={typed.checkedOn}
            error={errors.checkedOn}
          />
        </div>
        <Button name="intent" value="save" className="self-start">
          Save record
        </Button>
      </Form>
    </PageSection>
  );
}

/** A performer's documents. Only owners can open them. */
export function Documents({
  performer,
  mayRead,
  error,
}: {
  performer: Performer;
  mayRead: boolean;
  error?: string;
}) {
  const { documents } = performer;
  return (
    <PageSection id="documents" title="Documents">
      <p className="text-sm text-muted">
        Stored encrypted.{" "}
        {mayRead
          ? "The moderation log records who opens each document."
          : "Only owners can add and open documents."}
      </p>
      {documents.length > 0 && (
        <ul aria-label="Documents" className="ruled">
          {documents.map((document) => (
            <DocumentRow
              key={document.id}
              {...{ document, mayRead }}
              address={`/admin/consent/${performer.id}`}
            />
          ))}
        </ul>
      )}
      {mayRead && (
        <Form
          method="post"
          encType="multipart/form-data"
          className="flex flex-col gap-4"
          key={documents.length}
        >
          <input type="hidden" name="intent" value="add-document" />
          <SelectField label="Document type" name="kind" defaultValue="identity">
            <Options labels={DOCUMENT_LABELS} />
          </SelectField>
          <FileField
            label="Document file"
            name="document"
            required
            accept="application/pdf,image/jpeg,image/png"
            hint="PDF, JPEG or PNG, up to 20 MB."
            error={error}
          />
          <Button variant="secondary" className="self-start">
            Add document
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

function DocumentRow({
  document: { id, kind, type, bytes, addedAt, addedBy },
  address,
  mayRead,
}: {
  document: PerformerDocument;
  address: string;
  mayRead: boolean;
}) {
  const about = `${DOCUMENT_LABELS[kind]}, added ${addedAt.slice(0, 10)}`;
  return (
    <li className="flex flex-wrap items-center gap-3 py-2">
      <p className="min-w-0 grow basis-48 text-sm wrap-anywhere">
        <span className="font-medium">{DOCUMENT_LABELS[kind]}</span>
        <span className="block text-muted figures">
          {type === "application/pdf" ? "PDF" : type === "image/png" ? "PNG" : "JPEG"},{" "}
          {formatBytes(bytes)}, added <Time value={addedAt} /> by {addedBy ?? "a deleted account"}
        </span>
      </p>
      {mayRead && (
        <>
          <Form method="post" reloadDocument action={`${address}/documents/${id}`}>
            <Button variant="secondary" size="sm" aria-label={`Open ${about}`}>
              Open
            </Button>
          </Form>
          <Form method="post" preventScrollReset>
            <input type="hidden" name="document" value={id} />
            <Button
              name="intent"
              value="remove-document"
              variant="danger"
              size="sm"
              aria-label={`Delete ${about}`}
            >
              Delete
            </Button>
          </Form>
        </>
      )}
    </li>
  );
}

export function StoredData({
  performer,
  mayForget,
  isRequired,
}: {
  performer: Performer;
  mayForget: boolean;
  isRequired: boolean;
}) {
  const { videos, videoCount, createdAt, updatedAt, checkedBy, checkedOn } = performer;
  return (
    <PageSection id="kept" title="Stored data">
      <p className="text-sm text-muted figures">
        This includes the record and documents above, and the list of videos. Created{" "}
        <Time value={createdAt} />, changed <Time value={updatedAt} />
        {checkedOn && `, checked ${checkedOn} by ${checkedBy ?? "a deleted account"}`}.
      </p>
      {videos.length === 0 ? (
        <p className="text-sm">Not shown in any video.</p>
      ) : (
        <ul aria-label="Shown in" className="ruled text-sm">
          {videos.map(({ id, title, status }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3">
              {title === null ? (
                <span className="flex min-h-11 grow items-center text-muted">
                  A video in the trash
                </span>
              ) : (
                <RowLink to={consentHref(id)}>{title}</RowLink>
              )}
              {status && <StatusBadge status={status} />}
            </li>
          ))}
          {videoCount > videos.length && (
            <li className="py-3 text-muted">and {videoCount - videos.length} more</li>
          )}
        </ul>
      )}
      {mayForget && (
        <Form method="post" className="flex flex-col gap-3">
          <p className="text-sm text-muted">
            Permanently deletes this performer’s record and documents, and the name in consent
            records. {isRequired && "Public videos of this performer will go on hold. "}
            Earlier backups still contain the encrypted data until they are deleted.
          </p>
          <CheckField name="sure" required>
            Delete all data about this performer
          </CheckField>
          <Button name="intent" value="forget" variant="danger" className="self-start">
            Delete performer
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

/** The title of a list row, as a link to its page. */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      dir="auto"
      className="flex min-h-11 min-w-0 grow basis-40 items-center font-medium hover:text-accent"
    >
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </Link>
  );
}
