import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData, useNavigate, useNavigation } from "@remix-run/react";
import { Search, Tag } from "lucide-react";
import { Pager } from "~/features/catalogue/lists/pager";
import { aliasesOf } from "~/features/catalogue/lists/tag-aliases.server";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { redirectWithToast } from "~/platform/toast.server";
import { shownCategories } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { formatQuantity } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { AnswerFailure, FailureNotice } from "~/ui/feedback/failure-notice";
import { Field, SelectField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { CategoryForm } from "../tags/category-form";
import type { CategoriesFailure } from "../tags/category-names.server";
import { TagChangeList } from "../tags/tag-change-list";
import { listTagChanges } from "../tags/tag-changes.server";
import { TagDialog } from "../tags/tag-dialog";
import { TagList } from "../tags/tag-list";
import { loadTags, performTags, type TagsFailure } from "../tags/tags-action.server";
import {
  readTagsView,
  TAG_SORT_LABELS,
  TAG_SORTS,
  type TagsView,
  tagsHref,
} from "../tags/tags-address";

export const meta = privateMeta("Tags");

const GONE = "No video has this tag any more.";

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/tags");
  const parameters = new URL(request.url).searchParams;
  const view = readTagsView(parameters);
  const named = parameters.get("tag");
  const { asked, ...list } = await loadTags(view, named === null ? undefined : fold(named));
  const shown = [...list.tags, ...(asked ? [asked] : [])];
  const aliases = Object.fromEntries(shown.map(({ tag }) => [tag, aliasesOf(tag)]));
  const changes = await listTagChanges();
  const page = { view: { ...view, page: list.page }, list, aliases, changes, asked };
  return data(page, { status: asked === null ? 404 : 200 });
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/tags");
  requireOwnOrigin(request);
  const view = readTagsView(new URL(request.url).searchParams);
  const answer = await performTags(request, user.id);
  if ("status" in answer) return data({ error: answer }, { status: answer.status });
  throw redirectWithToast(tagsHref(view), answer);
}

export default function Tags() {
  useLiveRefresh({ jobs: true });
  const { view, list, aliases, changes, asked } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: TagsFailure | CategoriesFailure }>()?.error;
  const categoriesError = error && "labels" in error ? error : undefined;
  const busy = String(useNavigation().formData?.get("intent") ?? "") || undefined;
  const here = tagsHref(view);
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Tags</h1>
        <AdminLinks />
      </header>
      {asked === null && <FailureNotice toast={failure(404, GONE).toast} />}
      {asked ? (
        <TagDialog
          key={asked.tag}
          tag={asked}
          aliases={aliases[asked.tag] ?? []}
          error={categoriesError ? undefined : (error as TagsFailure)}
          busy={busy}
          list={here}
          address={tagsHref(view, asked.tag)}
        />
      ) : (
        <AnswerFailure error={error} />
      )}
      <TagChangeList changes={changes} action={here} />
      {list.total === 0 ? (
        <EmptyState icon={<Tag />} title="No video has a tag yet." />
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
    </div>
  );
}

function FilterForm({ view }: { view: TagsView }) {
  const navigate = useNavigate();
  function show(form: HTMLFormElement) {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) asked.set(name, String(value));
    navigate(tagsHref(readTagsView(asked)), { preventScrollReset: true });
  }
  return (
    <Form
      role="search"
      action="/admin/tags"
      key={tagsHref({ ...view, page: 1 })}
      onSubmit={(event) => {
        event.preventDefault();
        show(event.currentTarget);
      }}
      onChange={(event) => {
        if (event.target instanceof HTMLSelectElement) show(event.currentTarget);
      }}
      className="flex flex-wrap items-end gap-3"
    >
      <div className="min-w-0 grow basis-48 sm:max-w-xs">
        <Field label="Search the tags" type="search" name="search" defaultValue={view.search} />
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
        Show
      </Button>
    </Form>
  );
}
