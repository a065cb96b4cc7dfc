import { Form, Link } from "@remix-run/react";
import { Search, Undo2 } from "lucide-react";
import { formatQuantity } from "~/shared/format";
import { MAX_TITLE_LETTERS } from "~/shared/video-limits";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import type { SeriesFailure } from "./change-series.server";
import { oneSeriesHref, SERIES_RESTORABLE_DAYS } from "./series-address";
import type { ListedSeries, SeriesList } from "./series-list.server";

/** The series of a page, each with how much is in it and who sees it. */
export function SeriesRows({ series }: { series: ListedSeries[] }) {
  return (
    <ul aria-label="Series" className="ruled rounded-lg border border-line bg-surface">
      {series.map(({ id, title, visibility, isFeatured, videos, published }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1 sm:px-4">
          <Link
            to={oneSeriesHref(id)}
            dir="auto"
            className="flex min-h-11 min-w-0 grow items-center font-medium hover:text-accent"
          >
            <span className="min-w-0 break-words">{title}</span>
          </Link>
          <span className="flex gap-2">
            {isFeatured && <Badge tone="accent">On home</Badge>}
            <Badge tone={visibility === "public" ? "good" : "plain"}>
              {visibility === "public" ? "Public" : "Studio only"}
            </Badge>
          </span>
          <span className="text-sm text-muted figures">
            {formatQuantity(videos, "video")}
            {published < videos && `, ${published.toLocaleString("en")} public`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Makes a series, of which nothing but the title is asked. */
export function NewSeriesForm({
  error,
  action,
  busy,
}: {
  error: SeriesFailure | undefined;
  action: string;
  busy: boolean;
}) {
  return (
    <Form method="post" action={action} noValidate className="flex flex-wrap items-end gap-3">
      <input type="hidden" name="intent" value="create" />
      <div className="min-w-0 grow basis-56 sm:max-w-md">
        <Field
          label="Title of a new series"
          name="title"
          required
          maxLength={MAX_TITLE_LETTERS}
          defaultValue={error?.typed?.title}
          error={error?.fields?.title}
        />
      </div>
      <Button busy={busy} busyLabel="Making...">
        Make series
      </Button>
    </Form>
  );
}

export function SeriesSearch({ search }: { search: string }) {
  return (
    <Form role="search" action="/admin/series" key={search} className="flex items-end gap-2">
      <Field label="Search the series" type="search" name="search" defaultValue={search} />
      <Button variant="secondary" aria-label="Show">
        <Search aria-hidden="true" className="size-4" />
        <span className="max-sm:sr-only">Show</span>
      </Button>
    </Form>
  );
}

/** The series of the trash, each with the button that restores it. */
export function DeletedSeries({
  deleted,
  action,
}: {
  deleted: SeriesList["deleted"];
  action: string;
}) {
  if (deleted.length === 0) return null;
  return (
    <details className="rounded-lg border border-line bg-surface p-2 pl-4 text-sm">
      <summary className="inline-flex min-h-11 items-center text-muted underline underline-offset-4 hover:text-ink">
        {`Deleted in the last ${SERIES_RESTORABLE_DAYS} days`}
      </summary>
      <ul aria-label="Deleted series" className="flex flex-col gap-1">
        {deleted.map(({ id, title }) => (
          <li key={id} className="flex items-center gap-3">
            <span dir="auto" className="min-w-0 flex-1 break-words">
              {title}
            </span>
            <Form method="post" action={action} preventScrollReset>
              <input type="hidden" name="intent" value="restore" />
              <input type="hidden" name="series" value={id} />
              <Button variant="secondary" size="sm" aria-label={`Restore ${title}`}>
                <Undo2 aria-hidden="true" className="size-4" />
                Restore
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </details>
  );
}
