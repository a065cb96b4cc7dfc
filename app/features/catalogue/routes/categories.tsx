import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { ChevronRight, Film } from "lucide-react";
import { siteIdentity } from "~/platform/site-origin.server";
import { type ListLocation, listPath } from "~/shared/addresses";
import { categoryLabel, isCategoryId, toCategoryId } from "~/shared/categories";
import { parseListView } from "~/shared/list-view";
import { pageParameter } from "~/shared/pages";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { categoryMeta } from "../catalogue-meta";
import { CategorySelector } from "../category-selector";
import { ListSection } from "../list-section";
import { hasAnyVideo, listPublished, loadList } from "../published-list.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? categoryMeta(data.site, data) : [];

export async function loader({ request, params }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const page = pageParameter(searchParams);
  const view = parseListView(searchParams);
  const category = requestedCategory(params.category, searchParams, { ...view, page });
  const { status, ...result } = await loadList(request, () =>
    listPublished({ category, view, page }),
  );
  const isFound = status !== 200 || result.list.total > 0 || !category || isCategoryId(category);
  if (!isFound && !(await hasAnyVideo(category))) {
    throw new Response(null, { status: 404, statusText: "Not Found" });
  }
  return data(
    { ...result, category, view, site: siteIdentity(request), now: Date.now() },
    { status },
  );
}

/**
 * Returns the category requested by any of the three URL forms, or a custom value stored by another tool; undefined for
 * all videos.
 *
 * @throws a redirect for a legacy id and for trending.
 */
function requestedCategory(
  path: string | undefined,
  parameters: URLSearchParams,
  rest: Pick<ListLocation, "order" | "length" | "page">,
): string | undefined {
  const requested = path ?? parameters.get("cat");
  if (requested === "trending") throw redirect(listPath({ from: "trending", page: rest.page }));
  if (isCategoryId(requested)) return requested;
  const current = toCategoryId(requested);
  if (current) throw redirect(listPath({ from: "categories", category: current, ...rest }), 301);
  if (path === "all") throw redirect(listPath({ from: "categories", ...rest }), 301);
  return path;
}

export default function Categories() {
  useLiveRefresh();
  const { list, error, category, view, now } = useLoaderData<typeof loader>();
  const label = category ? categoryLabel(category) : "All Videos";
  return (
    <>
      <nav aria-label="Breadcrumb" className="mb-4">
        <ol className="flex flex-wrap items-center gap-1 text-sm text-muted">
          <Crumb to="/" label="Home" />
          <Crumb to={category && "/categories"} label="Categories" />
          {category && <Crumb label={label} />}
        </ol>
      </nav>
      <div className="mb-8">
        <CategorySelector
          selected={category === undefined ? "all" : isCategoryId(category) ? category : undefined}
          hrefFor={(id) =>
            id === "trending"
              ? "/trending"
              : listPath({ from: "categories", category: id === "all" ? undefined : id, ...view })
          }
        />
      </div>
      <ListSection
        heading={label}
        list={list}
        error={error}
        listLocation={{ from: "categories", category, ...view }}
        hasChoices
        now={now}
        empty={
          <EmptyState
            icon={<Film />}
            title="No videos found in this category."
            action={
              <ButtonLink to={category ? "/categories" : "/"}>
                {category ? "All Videos" : "Back to Home"}
              </ButtonLink>
            }
          />
        }
      />
    </>
  );
}

/** A breadcrumb item. The last one is the current page. */
function Crumb({ to, label }: { to?: string; label: string }) {
  if (!to) {
    return (
      <li aria-current="page" className="text-ink">
        {label}
      </li>
    );
  }
  return (
    <li className="flex items-center gap-1">
      <Link to={to} className="inline-flex min-h-11 items-center hover:text-ink mouse:min-h-9">
        {label}
      </Link>
      <ChevronRight aria-hidden="true" className="size-4" />
    </li>
  );
}
