import { Form } from "@remix-run/react";
import { type AskedTerms, TermsField } from "~/features/moderation/uploaders/terms-field";
import { MAX_TITLE_LETTERS } from "~/shared/video-limits";
import { Button } from "~/ui/button";
import { Field, TextAreaField } from "~/ui/forms/field";
import { NO_TEXTS } from "../upload-fields";
import { DetailFields } from "../upload-text-fields";
import type { AddressFailure } from "./bring-in-action.server";

/** Fetches one video, with the texts of an upload. */
export function AddressForm({
  failure,
  asked,
  busy,
}: {
  failure?: AddressFailure;
  asked: AskedTerms;
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
        maxLength={MAX_TITLE_LETTERS}
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
  asked: AskedTerms;
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
