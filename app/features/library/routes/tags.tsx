import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData, useNavigate, useNavigation } from "@remix-run/react";
import { ChevronDown, ChevronUp, Search, Tag, Undo2 } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { Pager } from "~/features/catalogue/pager";
import { aliasesOf } from "~/features/catalogue/tags.server";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { redirectWithToast } from "~/platform/toast.server";
import { type CategoryName, shownCategories } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { formatQuantity } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { Field, SelectField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { listTagChanges, type ShownTagChange } from "../tags/tag-changes.server";
import { TagDialog, TagList } from "../tags/tag-list";
import {
  type CategoriesFailure,
  loadTags,
  performTags,
  type TagsFailure,
} from "../tags/tags-action.server";
import {
  readTagsView,
  TAG_SORT_LABELS,
  TAG_SORTS,
  type TagsView,
  tagsHref,
} from "../tags/tags-address";

export const meta = privateMeta("Tags");

const GONE = "No videos have this tag anymore.";

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/tags");
  const parameters = new URL(request.url).searchParams;
  const view = readTagsView(parameters);
  const named = parameters.get("tag");
  const { requested, ...list } = await loadTags(view, named === null ? undefined : fold(named));
  const visible = [...list.tags, ...(requested ? [requested] : [])];
  const aliases = Object.fromEntries(visible.map(({ tag }) => [tag, aliasesOf(tag)]));
  const changes = await listTagChanges();
  const page = { view: { ...view, page: list.page }, list, aliases, changes, requested };
  return data(page, { status: requested === null ? 404 : 200 });
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/tags");
  requireOwnOrigin(request);
  const view = readTagsView(new URL(request.url).searchParams);
  const result = await performTags(request, user.id);
  if ("status" in result) return data({ error: result }, { status: result.status });
  throw redirectWithToast(tagsHref(view), result);
}

export default function Tags() {
  useLiveRefresh({ jobs: true });
  const { view, list, aliases, changes, requested } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: TagsFailure | CategoriesFailure }>()?.error;
  const categoriesError = error && "labels" in error ? error : undefined;
  const busy = String(useNavigation().formData?.get("intent") ?? "") || undefined;
  const here = tagsHref(view);
  return (
    <AdminPage title="Tags" error={requested ? undefined : error}>
      {requested === null && <FailureNotice toast={failure(404, GONE).toast} />}
      {requested && (
        <TagDialog
          key={requested.tag}
          tag={requested}
          aliases={aliases[requested.tag] ?? []}
          error={categoriesError ? undefined : (error as TagsFailure)}
          busy={busy}
          list={here}
          address={tagsHref(view, requested.tag)}
        />
      )}
      <TagChangeList changes={changes} action={here} />
      {list.total === 0 ? (
        <EmptyState icon={<Tag />} title="No tags yet. Add tags to a video to see them here." />
      ) : (
        <>
          <FilterForm view={view} />
          <p className="text-sm text-muted figures">
            {view.search && `${list.found.toLocaleString("en")} of `}
            {formatQuantity(list.total, "tag")}
          </p>
          {list.found === 0 ? (
            <EmptyState
              icon={<Tag />}
              title="No tags found."
              action={<ButtonLink to="/admin/tags">Show all tags</ButtonLink>}
            />
          ) : (
            <TagList tags={list.tags} aliases={aliases} view={view} busy={busy} />
          )}
          <Pager
            page={list.page}
            pageCount={list.pageCount}
            hrefFor={(page) => tagsHref({ ...view, page })}
          />
        </>
      )}
      <CategoryForm
        categories={shownCategories()}
        error={categoriesError}
        action={here}
        busy={busy === "categories"}
      />
    </AdminPage>
  );
}

function FilterForm({ view }: { view: TagsView }) {
  const navigate = useNavigate();
  function applyFilters(form: HTMLFormElement) {
    const values = new URLSearchParams();
    for (const [name, value] of new FormData(form)) values.set(name, String(value));
    navigate(tagsHref(readTagsView(values)), { preventScrollReset: true });
  }
  return (
    <Form
      role="search"
      action="/admin/tags"
      key={tagsHref({ ...view, page: 1 })}
      onSubmit={(event) => {
        event.preventDefault();
        applyFilters(event.currentTarget);
      }}
      onChange={(event) => {
        if (event.target instanceof HTMLSelectElement) applyFilters(event.currentTarget);
      }}
      className="flex flex-wrap items-end gap-3"
    >
      <div className="min-w-0 grow basis-48 sm:max-w-xs">
        <Field label="Search tags" type="search" name="search" defaultValue={view.search} />
      </div>
      <SelectField label="Sort by" name="sort" defaultValue={view.sort}>
        {TAG_SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {TAG_SORT_LABELS[sort]}
          </option>
        ))}
      </SelectField>
      <Button variant="secondary">
        <Search aria-hidden="true" className="size-4" />
        Apply
      </Button>
    </Form>
  );
}

/** The latest tag changes, each with its progress or a button that undoes it. */
function TagChangeList({ changes, action }: { changes: ShownTagChange[]; action: string }) {
  if (changes.length === 0) return null;
  return (
    <details
      className="rounded-lg border border-line bg-surface p-2 pl-4 text-sm"
      open={changes.some(({ state }) => state !== "done")}
    >
      <summary className="inline-flex min-h-11 items-center text-muted underline underline-offset-4 hover:text-ink">
        Recent changes
      </summary>
      <ul aria-label="Recent tag changes" className="flex flex-col gap-1">
        {changes.map((change) => (
          <li key={change.id} className="flex items-center gap-3">
            <span className="min-w-0 flex-1 break-words">
              <span className="inline-block first-letter:uppercase">{change.message}</span>
              <span className="text-muted figures">{` · ${progress(change)}`}</span>
            </span>
            {change.state === "done" && (
              <Form method="post" action={action} preventScrollReset>
                <input type="hidden" name="intent" value="undo" />
                <input type="hidden" name="change" value={change.id} />
                <Button variant="secondary" size="sm" aria-label={`Undo: ${change.message}`}>
                  <Undo2 aria-hidden="true" className="size-4" />
                  Undo
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function progress({ state, videos, total }: ShownTagChange): string {
  if (state === "undoing") return "undoing…";
  if (state === "done") return formatQuantity(videos, "video");
  const of = total === undefined ? "" : ` of ${total.toLocaleString("en")}`;
  return `${videos.toLocaleString("en")}${of} videos changed so far`;
}

/** The names and order of the categories. Their URLs and videos don't change. */
function CategoryForm({
  categories,
  error,
  action,
  busy,
}: {
  categories: readonly CategoryName[];
  /** The reason why the form was rejected. */
  error: CategoriesFailure | undefined;
  action: string;
  busy: boolean;
}) {
  return (
    <section aria-labelledby="categories" className="flex flex-col gap-4 border-t border-line pt-6">
      <div>
        <h2 id="categories" className="text-lg font-semibold">
          Categories
        </h2>
        <p className="text-sm text-muted">
          The names and order that visitors see. URLs don’t change.
        </p>
      </div>
      <Form
        // The key remounts the form when the order changes, because the fields are uncontrolled.
        key={JSON.stringify(categories)}
        method="post"
        action={action}
        preventScrollReset
        noValidate
        className="flex max-w-xl flex-col gap-3"
      >
        <input type="hidden" name="intent" value="categories" />
        {/* Pressing Enter in a field activates the form's first submit button, which is this hidden one. */}
        <button type="submit" tabIndex={-1} aria-hidden="true" className="sr-only">
          Save categories
        </button>
        <ol className="flex flex-col gap-3">
          {categories.map(({ id, label }, index) => (
            <li key={id} className="flex items-end gap-2">
              <div className="min-w-0 grow">
                <Field
                  label={`Name of ${id}`}
                  name={`label.${id}`}
                  defaultValue={error?.labels[id] ?? label}
                  error={error?.errors[id]}
                />
              </div>
              {(["up", "down"] as const).map((direction) => (
                <Button
                  key={direction}
                  name="move"
                  value={`${id}:${direction}`}
                  variant="ghost"
                  size="sm"
                  // The first category can't move up, and the last can't move down.
                  disabled={index === (direction === "up" ? 0 : categories.length - 1)}
                  aria-label={`Move ${label} ${direction}`}
                  title={`Move ${label} ${direction}`}
                  className="size-11 shrink-0 !px-0 [&_svg]:size-5"
                >
                  {direction === "up" ? <ChevronUp /> : <ChevronDown />}
                </Button>
              ))}
            </li>
          ))}
        </ol>
        <div className="flex flex-wrap gap-3">
          <Button busy={busy} busyLabel="Saving...">
            Save categories
          </Button>
          <Button name="reset" value="1" variant="ghost">
            Reset to defaults
          </Button>
        </div>
      </Form>
    </section>
  );
}
