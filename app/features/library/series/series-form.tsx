import { Form } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { seriesPath } from "~/shared/series/series-path";
import { MAX_DESCRIPTION_LETTERS, MAX_TITLE_LETTERS } from "~/shared/video-limits";
import { Button, ButtonLink } from "~/ui/button";
import { Field, SelectField, TextAreaField } from "~/ui/forms/field";
import { isChanged, useLeaveWarning } from "~/ui/forms/use-leave-warning";
import type { SeriesFailure } from "./change-series.server";
import type { EditedSeries } from "./series-list.server";

const UNSAVED = "Your changes are not saved. Leave them all the same?";

/** What a series is called, its address, who sees it, and whether home shows it. */
export function SeriesForm({
  series,
  error,
  action,
  deleteHref,
  busy,
}: {
  series: EditedSeries;
  /** Why what was sent was rejected. */
  error: SeriesFailure | undefined;
  action: string;
  /** Where deleting is asked about. */
  deleteHref: string;
  busy: boolean;
}) {
  // Those of the moment when the form was opened: the live refresh must not change what somebody is
  // about to type over.
  const [texts] = useState(error?.typed ?? series);
  const [version] = useState(error?.version ?? series.textsVersion);
  const fields = error?.fields ?? {};
  const form = useRef<HTMLFormElement>(null);
  const sending = useRef(false);
  useLeaveWarning(() => {
    const isUnsaved = !sending.current && (error?.typed !== undefined || isChanged(form.current));
    return isUnsaved ? UNSAVED : undefined;
  });
  useEffect(() => {
    if (!busy) sending.current = false;
  }, [busy]);
  const saved = (name: "title" | "slug" | "description") =>
    error?.status === 409 && texts[name] !== series[name]
      ? `Saved now: ${series[name] || "(empty)"}`
      : undefined;
  return (
    <Form
      ref={form}
      method="post"
      action={action}
      preventScrollReset
      noValidate
      onSubmit={() => {
        sending.current = true;
      }}
      className="flex max-w-2xl flex-col gap-4"
    >
      <input type="hidden" name="intent" value="update" />
      <input type="hidden" name="version" value={version} />
      <Field
        label="Title"
        name="title"
        required
        maxLength={MAX_TITLE_LETTERS}
        defaultValue={texts.title}
        hint={saved("title")}
        error={fields.title}
      />
      <Field
        label="Address"
        name="slug"
        maxLength={MAX_TITLE_LETTERS}
        defaultValue={texts.slug}
        hint={
          saved("slug") ?? `Behind ${seriesPath("")}. The addresses of before lead to the new one.`
        }
        error={fields.slug}
      />
      <TextAreaField
        label="Description"
        name="description"
        maxLength={MAX_DESCRIPTION_LETTERS}
        defaultValue={texts.description}
        hint={saved("description")}
        error={fields.description}
      />
      <SelectField label="Who sees it" name="visibility" defaultValue={texts.visibility}>
        <option value="studio">The studio only</option>
        <option value="public">Everybody</option>
      </SelectField>
      <label className="flex min-h-11 items-center gap-2 text-sm">
        <input
          type="checkbox"
          name="featured"
          value="1"
          defaultChecked={texts.isFeatured}
          className="size-5 shrink-0"
        />
        Show its first videos in a row on home, instead of any other series
      </label>
      <div className="flex flex-wrap gap-3">
        <Button busy={busy} busyLabel="Saving...">
          Save series
        </Button>
        <ButtonLink to={deleteHref} preventScrollReset variant="danger">
          Delete series
        </ButtonLink>
      </div>
    </Form>
  );
}
