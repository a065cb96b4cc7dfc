import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData, useNavigation } from "@remix-run/react";
import { ListVideo, Undo2 } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { Pager } from "~/features/catalogue/pager";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { formatQuantity } from "~/shared/format";
import { MAX_TITLE_LENGTH } from "~/shared/video-limits";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { Field } from "~/ui/forms/field";
import { SearchForm } from "~/ui/forms/search-form";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import type { SeriesFailure } from "../series/change-series.server";
import { performSeries } from "../series/series-action.server";
import {
  oneSeriesHref,
  readSeriesView,
  SERIES_RESTORABLE_DAYS,
  type SeriesView,
  seriesHref,
} from "../series/series-address";
import { SeriesEditor } from "../series/series-editor";
import {
  findSeries,
  type ListedSeries,
  listSeries,
  listSeriesVideos,
  type SeriesList,
} from "../series/series-list.server";

export const meta = privateMeta("Series");

const GONE = "This series no longer exists. Someone may have deleted it.";

export async function loader({ request, params }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/series/:id?");
  const parameters = new URL(request.url).searchParams;
  const view = readSeriesView(params.id, parameters);
  const isDeleting = parameters.has("delete");
  if (view.id === undefined) {
    const all = listSeries(view);
    return { view: { ...view, page: all.page }, isDeleting: false, all };
  }
  const series = findSeries(view.id);
  if (!series) return data({ view, isDeleting: false }, { status: 404 });
  const list = listSeriesVideos(series.id, view.page);
  return { view: { ...view, page: list.page }, isDeleting, one: { series, list } };
}

export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/series/:id?");
  requireOwnOrigin(request);
  const view = readSeriesView(params.id, new URL(request.url).searchParams);
  const result = await performSeries(request, view, user.id);
  if (result instanceof Response) throw result;
  if (!("status" in result)) return result;
  return data({ error: result }, { status: result.status });
}

/** The loader data: the list of all series, a single series, or neither if the series doesn't exist. */
interface Loaded {
  view: SeriesView;
  isDeleting: boolean;
  all?: SeriesList;
  one?: {
    series: NonNullable<ReturnType<typeof findSeries>>;
    list: ReturnType<typeof listSeriesVideos>;
  };
}

export default function SeriesPages() {
  useLiveRefresh({ jobs: true });
  const { view, isDeleting, all, one } = useLoaderData<typeof loader>() as Loaded;
  const error = useFormResponse<{ error?: SeriesFailure } | null>()?.error;
  const busy = String(useNavigation().formData?.get("intent") ?? "") || undefined;
  return (
    <AdminPage title={one ? one.series.title : "Series"} error={error}>
      {all && <AllSeries view={view} list={all} error={error} busy={busy} />}
      {one && <SeriesEditor {...{ view, isDeleting, error, busy }} {...one} />}
      {!all && !one && (
        <>
          <FailureNotice toast={failure(404, GONE).toast} />
          <ButtonLink to="/admin/series" variant="secondary" className="self-start">
            All series
          </ButtonLink>
        </>
      )}
    </AdminPage>
  );
}

function AllSeries({
  view,
  list,
  error,
  busy,
}: {
  view: SeriesView;
  list: SeriesList;
  error: SeriesFailure | undefined;
  busy: string | undefined;
}) {
  const here = seriesHref(view);
  return (
    <>
      <p className="text-sm text-muted">
        A series is an ordered group of videos. A public series has its own page and RSS feed.
      </p>
      <NewSeriesForm error={error} action={here} busy={busy === "create"} />
      <DeletedSeries deleted={list.deleted} action={here} />
      {list.total === 0 ? (
        <EmptyState icon={<ListVideo />} title="No series yet. Create one to group videos." />
      ) : (
        <>
          <SearchForm action="/admin/series" label="Search series" search={view.search} />
          <p className="text-sm text-muted figures">
            {view.search && `${list.found.toLocaleString("en")} of `}
            {`${list.total.toLocaleString("en")} series`}
          </p>
          {list.found === 0 ? (
            <EmptyState
              icon={<ListVideo />}
              title="No series found."
              action={<ButtonLink to="/admin/series">Show all series</ButtonLink>}
            />
          ) : (
            <SeriesRows series={list.series} />
          )}
          <Pager
            page={list.page}
            pageCount={list.pageCount}
            hrefFor={(page) => seriesHref({ ...view, page })}
          />
        </>
      )}
    </>
  );
}

/** The series on a page, each with its visibility and number of videos. */
function SeriesRows({ series }: { series: ListedSeries[] }) {
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
            {isFeatured && <Badge tone="accent">Featured</Badge>}
            <Badge tone={visibility === "public" ? "good" : "plain"}>
              {visibility === "public" ? "Public" : "Private"}
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

/** The form that creates a series from just a title. */
function NewSeriesForm({
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
          label="New series"
          name="title"
          required
          maxLength={MAX_TITLE_LENGTH}
          defaultValue={error?.typed?.title}
          error={error?.fields?.title}
        />
      </div>
      <Button busy={busy} busyLabel="Creating...">
        Create series
      </Button>
    </Form>
  );
}

/** Deleted series that can still be restored. */
function DeletedSeries({ deleted, action }: { deleted: SeriesList["deleted"]; action: string }) {
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
