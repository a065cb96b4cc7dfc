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

/** The form that imports one video from a URL. */
export function AddressForm({
  failure,
  termsField,
  busy,
}: {
  failure?: AddressFailure;
  termsField: TermsFieldState;
  busy: boolean;
}) {
  const { texts = NO_TEXTS, fields = {}, address = "" } = failure ?? {};
  return (
    <Form method="post" className="flex flex-col gap-4">
      <Field
        label="URL"
        name="address"
        type="url"
        placeholder="https://"
        hint="A direct link to the video file, not to a web page."
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
      <TermsField {...termsField} error={fields.terms} />
      <div className="flex flex-wrap gap-3">
        <Button name="intent" value="address-publish" disabled={busy}>
          Import and publish
        </Button>
        <Button variant="secondary" name="intent" value="address-draft" disabled={busy}>
          Import as draft
        </Button>
      </div>
    </Form>
  );
}

/** The form that imports many videos from a table of URLs. */
export function TableForm({
  error,
  table,
  termsField,
  busy,
}: {
  error?: string;
  table: string;
  termsField: TermsFieldState;
  busy: boolean;
}) {
  return (
    <Form method="post" className="flex flex-col gap-4">
      <TextAreaField
        label="List of videos"
        name="table"
        rows={6}
        hint="CSV with a header line, or a JSON list, with the fields address, title, description, category, tags and status (published or review)."
        defaultValue={table}
        required
        error={error}
        spellCheck={false}
        className="font-mono text-sm"
      />
      <TermsField {...termsField} />
      <div>
        <Button variant="secondary" name="intent" value="table" disabled={busy}>
          Import all
        </Button>
      </div>
    </Form>
  );
}

/** The import of the operator's folder: shows the form, or the progress of the running import. */
export function FolderForm({
  folder: { running, last },
  error,
  table,
  termsField,
  busy,
}: {
  folder: ServerFolder;
  error?: string;
  /** The entered value, if the form was rejected. */
  table?: string;
  termsField: TermsFieldState;
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
        Imports the videos in the server’s import folder and all its subfolders. Videos that have
        already been imported are skipped. Details come from a table, from a file such as clip.json
        next to clip.mp4, or from the file name.
      </p>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        <SelectField label="Default category" name="category">
          <option value="">Skip files without a category</option>
          <CategoryOptions />
        </SelectField>
        <SelectField label="Import as" name="status" defaultValue="review">
          <option value="review">Drafts</option>
          <option value="published">Published</option>
        </SelectField>
        <SelectField label="Files" name="mode">
          <option value="copy">Copy</option>
          <option value="move">Move</option>
        </SelectField>
      </div>
      <TextAreaField
        label="Video details"
        name="table"
        rows={4}
        hint="Optional. CSV with a header line, or JSON, with the fields file, title, description, category, tags and status. If you leave this blank, metadata.csv or metadata.json in the folder is used."
        defaultValue={table}
        error={error}
        spellCheck={false}
        className="font-mono text-sm"
      />
      <TermsField {...termsField} />
      <div>
        <Button variant="secondary" name="intent" value="folder" disabled={busy}>
          Import folder
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
        aria-label="Import progress"
      />
      <p className="text-sm text-muted figures">
        {percent}%, {files} of {total} files
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
  waiting: "Queued",
  running: "Downloading",
  done: "Done",
  failed: "Failed",
  canceled: "Canceled",
};

/** The running, queued and finished imports, newest first. */
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
        aria-label="Download progress"
      />
      <p className="text-sm text-muted figures">
        {STATES[state]}: {share !== undefined && `${share}%, `}
        {formatBytes(bytes)}
        {total !== undefined && ` of ${formatBytes(total)}`}
      </p>
    </>
  );
}
