import { Form, Link, useLocation } from "@remix-run/react";
import { ArrowLeft, ListVideo } from "lucide-react";
import { useState } from "react";
import { Pager } from "~/features/catalogue/pager";
import { formatQuantity } from "~/shared/format";
import { seriesPath } from "~/shared/series/series-path";
import { MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH } from "~/shared/video-limits";
import { Button, ButtonLink } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { CheckboxField, Field, SelectField, TextAreaField } from "~/ui/forms/field";
import { useUnsavedWarning } from "~/ui/forms/use-leave-warning";
import type { SeriesFailure } from "./change-series.server";
import { SERIES_RESTORABLE_DAYS, type SeriesView, seriesHref } from "./series-address";
import type { EditedSeries, SeriesVideosPage } from "./series-list.server";
import { SeriesVideos } from "./series-videos";

/** The page of a single series: its fields, and its videos in order. */
export function SeriesEditor({
  view,
  series,
  list,
  isDeleting,
  error,
  busy,
}: {
  view: SeriesView;
  series: EditedSeries;
  list: SeriesVideosPage;
  /** Whether the deletion dialog is open. */
  isDeleting: boolean;
  error: SeriesFailure | undefined;
  /** The intent of the form that is currently being sent. */
  busy: string | undefined;
}) {
  const here = seriesHref(view);
  const { key } = useLocation();
  return (
    <>
      {isDeleting && (
        <ConfirmDialog
          title="Delete this series?"
          description={series.title}
          list={here}
          busy={busy === "delete"}
          consequences={[
            "Its page and feed will be removed. The videos are kept.",
            `You can restore it for ${SERIES_RESTORABLE_DAYS} days.`,
          ]}
        >
          <input type="hidden" name="intent" value="delete" />
        </ConfirmDialog>
      )}
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <ButtonLink to="/admin/series" variant="ghost" size="sm" className="-ml-3">
          <ArrowLeft aria-hidden="true" className="size-4" />
          All series
        </ButtonLink>
        <Link
          to={seriesPath(series.slug)}
          className="inline-flex min-h-11 min-w-0 items-center break-all text-accent underline underline-offset-4"
        >
          {decodeURIComponent(seriesPath(series.slug))}
        </Link>
      </div>
      <SeriesForm
        // The key resets the form after it was submitted, but not after a live refresh.
        key={`${series.id} ${key}`}
        series={series}
        error={error}
        view={view}
        busy={busy === "update"}
      />
      <section aria-labelledby="videos" className="flex flex-col gap-4 border-t border-line pt-6">
        <div className="flex flex-wrap items-baseline justify-between gap-3">
          <h2 id="videos" className="text-lg font-semibold">
            Videos
          </h2>
          <p className="text-sm text-muted figures">{formatQuantity(list.total, "video")}</p>
        </div>
        {list.total === 0 ? (
          <EmptyState
            icon={<ListVideo />}
            title="No videos in this series yet."
            action={<ButtonLink to="/admin?tab=manage">Choose videos</ButtonLink>}
          >
            Select videos in the list and choose Add to series, or add a video in its edit dialog.
          </EmptyState>
        ) : (
          <SeriesVideos key={series.id} list={list} version={series.version} action={here} />
        )}
        <Pager
          page={list.page}
          pageCount={list.pageCount}
          hrefFor={(page) => seriesHref({ ...view, page })}
        />
      </section>
    </>
  );
}

/** The form with a series' text fields and visibility. */
function SeriesForm({
  series,
  error,
  view,
  busy,
}: {
  series: EditedSeries;
  /** The reason why the form was rejected. */
  error: SeriesFailure | undefined;
  view: SeriesView;
  busy: boolean;
}) {
  // Keeps the values from when the form was opened, because a live refresh must not change fields that someone is
  // editing.
  const [texts] = useState(error?.typed ?? series);
  const [version] = useState(error?.version ?? series.textsVersion);
  const fields = error?.fields ?? {};
  const unsaved = useUnsavedWarning(busy, error?.typed !== undefined);
  const saved = (name: "title" | "slug" | "description") =>
    error?.status === 409 && texts[name] !== series[name]
      ? `Saved version: ${series[name] || "(empty)"}`
      : undefined;
  return (
    <Form
      {...unsaved}
      method="post"
      action={seriesHref(view)}
      preventScrollReset
      noValidate
      className="flex max-w-2xl flex-col gap-4"
    >
      <input type="hidden" name="intent" value="update" />
      <input type="hidden" name="version" value={version} />
      <Field
        label="Title"
        name="title"
        required
        maxLength={MAX_TITLE_LENGTH}
        defaultValue={texts.title}
        hint={saved("title")}
        error={fields.title}
      />
      <Field
        label="URL"
        name="slug"
        maxLength={MAX_TITLE_LENGTH}
        defaultValue={texts.slug}
        hint={saved("slug") ?? `${seriesPath("")}… Old URLs redirect here.`}
        error={fields.slug}
      />
      <TextAreaField
        label="Description"
        name="description"
        maxLength={MAX_DESCRIPTION_LENGTH}
        defaultValue={texts.description}
        hint={saved("description")}
        error={fields.description}
      />
      <SelectField label="Visibility" name="visibility" defaultValue={texts.visibility}>
        <option value="studio">Private</option>
        <option value="public">Public</option>
      </SelectField>
      <CheckboxField
        label="Feature on the home page (replaces the current series)"
        name="featured"
        defaultChecked={texts.isFeatured}
      />
      <div className="flex flex-wrap gap-3">
        <Button busy={busy} busyLabel="Saving...">
          Save series
        </Button>
        <ButtonLink to={seriesHref(view, true)} preventScrollReset variant="danger">
          Delete series
        </ButtonLink>
      </div>
    </Form>
  );
}
