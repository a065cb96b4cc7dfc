import { Form } from "@remix-run/react";
import { type AskedTerms, TermsField } from "~/features/moderation/uploaders/terms-field";
import { Button } from "~/ui/button";
import { SelectField, TextAreaField } from "~/ui/forms/field";
import { CategoryOptions } from "../upload-text-fields";

interface Folder {
  running?: { files: number; total: number; percent: number };
  last?: { sentence: string; failures: { name: string; reason: string }[]; more: number };
}

/** The import of the folder that the operator has set: the form, or how far it is. */
export function FolderForm({
  folder: { running, last },
  error,
  table,
  asked,
  busy,
}: {
  folder: Folder;
  error?: string;
  /** As it was typed, after a failure. */
  table?: string;
  asked: AskedTerms;
  busy: boolean;
}) {
  if (running) return <Running {...running} busy={busy} />;
  return (
    <Form method="post" className="flex flex-col gap-4">
      {last && (
        <div role="status" className="text-sm">
          <p>{last.sentence}</p>
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
      <div className="grid gap-4 sm:grid-cols-3">
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
}: NonNullable<Folder["running"]> & { busy: boolean }) {
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
