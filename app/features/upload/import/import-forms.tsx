import { Form, Link } from "@remix-run/react";
import { TermsField, type TermsFieldState } from "~/features/moderation/uploaders/terms-field";
import { formatBytes } from "~/shared/format-bytes";
import { MAX_TITLE_LENGTH } from "~/shared/video-limits";
import { Button } from "~/ui/button";
import { Field, SelectField, TextAreaField } from "~/ui/forms/field";
import { NO_TEXTS } from "../upload-fields";
import { CategoryOptions, DetailFields } from "../upload-text-fields";
import type { AddressFailure, Download } from "./downloads.server";
import type { ServerFolder } from "./server-folder.server";

/** Fetches one video, with the texts of an upload. */
export function AddressForm({
  failure,
  asked,
  busy,
}: {
  failure?: AddressFailure;
  asked: TermsFieldState;
  busy: boolean;
}) {
  const { texts = NO_TEXTS, fields = {}, address = "" } = failure ?? {};
  return (
    <Form method="post" className="flex flex-col gap-4">
      <Field
        label="Address"
        name="address"
        type="url"
        placeholder="https://"
        hint="Of the file itself, not of a page that plays it."
        required
        defaultValue={address}
        error={fields.address}
      />
      <Field
        label="Title"
        name="title"
        required
        maxLength={MAX_TITLE_LENGTH}
        defaultValue={texts.title}
        error={fields.title}
      />
      <DetailFields texts={texts} wrong={fields} />
      <TermsField {...asked} error={fields.terms} />
      <div className="flex flex-wrap gap-3">
        <Button name="intent" value="address-publish" disabled={busy}>
          Bring in and publish
        </Button>
        <Button variant="secondary" name="intent" value="address-draft" disabled={busy}>
          Bring in as a draft
        </Button>
      </div>
    </Form>
  );
}

/** Fetches many, from a table. */
export function TableForm({
  error,
  table,
  asked,
  busy,
}: {
  error?: string;
  table: string;
  asked: TermsFieldState;
  busy: boolean;
}) {
  return (
    <Form method="post" className="flex flex-col gap-4">
      <TextAreaField
        label="Table of several videos"
        name="table"
        rows={6}
        hint="CSV with a header line, or a JSON list: address, title, description, category, tags, and status, which is published or review."
        defaultValue={table}
        required
        error={error}
        spellCheck={false}
        className="font-mono text-sm"
      />
      <TermsField {...asked} />
      <div>
        <Button variant="secondary" name="intent" value="table" disabled={busy}>
          Bring them in
        </Button>
      </div>
    </Form>
  );
}

/** The import of the folder that the operator has set: the form, or how far it is. */
export function FolderForm({
  folder: { running, last },
  error,
  table,
  asked,
  busy,
}: {
  folder: ServerFolder;
  error?: string;
  /** As it was typed, after a failure. */
  table?: string;
  asked: TermsFieldState;
  busy: boolean;
}) {
  if (running) return <Running {...running} busy={busy} />;
  return (
    <Form method="post" className="flex flex-col gap-4">
      {last && (
        <div role="status" className="text-sm">
          <p>{last.message}</p>
          <ul className="mt-1 text-muted">
            {last.failures.map(({ name, reason }) => (
              <li key={`${name} ${reason}`} className="wrap-anywhere">
                {name}: {reason}
              </li>
            ))}
            {last.more > 0 && <li>and {last.more} more</li>}
          </ul>
        </div>
      )}
      <p className="text-muted">
        Takes the videos of the folder that was set for the server, and of all folders in it. What
        was imported before is left out. Texts come from a table, from a file such as clip.json
        beside clip.mp4, or else from the name.
      </p>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        <SelectField label="Category of what says none" name="category">
          <option value="">None: leave it out</option>
          <CategoryOptions />
        </SelectField>
        <SelectField label="They become" name="status" defaultValue="review">
          <option value="review">Drafts</option>
          <option value="published">Published</option>
        </SelectField>
        <SelectField label="The files" name="mode">
          <option value="copy">Are copied</option>
          <option value="move">Are moved</option>
        </SelectField>
      </div>
      <TextAreaField
        label="Table of texts"
        name="table"
        rows={4}
        hint="Optional. CSV with a header line, or JSON: file, title, description, category, tags, status. Without one, metadata.csv or metadata.json in the folder."
        defaultValue={table}
        error={error}
        spellCheck={false}
        className="font-mono text-sm"
      />
      <TermsField {...asked} />
      <div>
        <Button variant="secondary" name="intent" value="folder" disabled={busy}>
          Import the folder
        </Button>
      </div>
    </Form>
  );
}

function Running({
  files,
  total,
  percent,
  busy,
}: NonNullable<ServerFolder["running"]> & { busy: boolean }) {
  return (
    <Form method="post" className="flex flex-col gap-3">
      <progress
        className="h-2 w-full accent-accent"
        value={percent}
        max={100}
        aria-label="How much of the folder is imported"
      />
      <p className="text-sm text-muted figures">
        {percent} %, {files} of {total} files
      </p>
      <div>
        <Button variant="secondary" size="sm" name="intent" value="folder-cancel" disabled={busy}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

const STATES: Record<Download["state"], string> = {
  waiting: "Waits for its turn",
  running: "Is being fetched",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** What is fetched, waits and has ended, the newest first. */
export function DownloadList({ downloads, busy }: { downloads: Download[]; busy: boolean }) {
  return (
    <ul className="flex flex-col ruled">
      {downloads.map((download) => (
        <li key={download.id} className="flex flex-wrap items-center gap-3 py-3">
          <div className="flex min-w-0 flex-1 basis-56 flex-col gap-1">
            <p className="font-medium wrap-anywhere">
              {download.videoId ? (
                <Link
                  to={`/admin?tab=manage&edit=${download.videoId}`}
                  className="text-accent hover:underline"
                >
                  {download.title}
                </Link>
              ) : (
                download.title
              )}
            </p>
            <p className="text-sm text-muted wrap-anywhere">{download.address}</p>
            <State download={download} />
          </div>
          {(download.state === "waiting" || download.state === "running") && (
            <Form method="post">
              <input type="hidden" name="id" value={download.id} />
              <Button variant="secondary" size="sm" name="intent" value="cancel" disabled={busy}>
                Cancel<span className="sr-only"> “{download.title}”</span>
              </Button>
            </Form>
          )}
        </li>
      ))}
    </ul>
  );
}

function State({ download: { state, reason, progress } }: { download: Download }) {
  if (!progress) {
    return (
      <p className={state === "failed" ? "text-sm text-bad" : "text-sm text-muted"}>
        {STATES[state]}
        {reason && `: ${reason}`}
      </p>
    );
  }
  const { bytes, total } = progress;
  const share = total ? Math.floor((100 * bytes) / total) : undefined;
  return (
    <>
      <progress
        className="h-2 w-full accent-accent"
        value={share}
        max={100}
        aria-label="How much of the file has come"
      />
      <p className="text-sm text-muted figures">
        {STATES[state]}: {share !== undefined && `${share} %, `}
        {formatBytes(bytes)}
        {total !== undefined && ` of ${formatBytes(total)}`}
      </p>
    </>
  );
}
