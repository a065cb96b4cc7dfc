import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { Film, MessageCircle, Search } from "lucide-react";
import { ContinueWatching } from "~/features/watch/continue-watching";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { type ListLocation, listPath, videoPath } from "~/shared/addresses";
import { type CategoryId, categoryLabel, toCategoryId } from "~/shared/categories";
import { hasFilters, isDefaultView, parseListView } from "~/shared/list-view";
import { pageParameter } from "~/shared/pages";
import { searchText } from "~/shared/search-text";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { homeMeta } from "../catalogue-meta";
import { type CategoryChoice, CategorySelector } from "../category-selector";
import { CloseMatches } from "../close-matches";
import { ListSection } from "../list-section";
import { hasAnyVideo, listCloseMatches, listPublished, loadList } from "../published-list.server";
import { SearchBox } from "../search-box";
import { alternativeSearches } from "../search-suggestions.server";
import { featuredSeries } from "../series.server";
import { SurpriseLink } from "../surprise-link";
import { VideoGrid } from "../video-card";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? homeMeta(data.site, data) : [];

export async function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (searchParams.get("category") === "trending") throw redirect("/trending");
  const category = toCategoryId(searchParams.get("category"));
  const search = searchText(searchParams.get("search"));
  const view = parseListView(searchParams);
  const close = search !== "" && searchParams.get("close") === "1";
  const page = pageParameter(searchParams);
  const { status, ...result } = await loadList(request, () =>
    close
      ? listCloseMatches({ category, search, view, page })
      : listPublished({ category, search, view, page }),
  );
  // If the list failed to load, the other queries are skipped, so that the page can show the error.
  const isRead = status === 200;
  const isEmpty = isRead && result.list.total === 0;
  const anyVideo = isEmpty && !search && !hasFilters(view) ? await hasAnyVideo() : true;
  const others = isEmpty && search ? await alternativeSearches(search, category) : undefined;
  const isFirst = result.list.page === 1 && !search && !category && isDefaultView(view);
  return data(
    {
      ...result,
      category,
      search,
      view,
      anyVideo,
      others,
      close,
      closeMatches:
        search && isRead && !close
          ? await listCloseMatches({ search, category, view, page: 1, countOnly: !isEmpty })
          : undefined,
      isFirst,
      featured: isRead && isFirst ? featuredSeries() : undefined,
      joinUrl: settings().joinUrl,
      site: siteIdentity(request),
      now: Date.now(),
    },
    { status },
  );
}

export default function Home() {
  useLiveRefresh();
  const { list, error, category, search, view, anyVideo, others, joinUrl, ...loaded } =
    useLoaderData<typeof loader>();
  const { now, isFirst, featured, close, closeMatches } = loaded;
  const listLocation: ListLocation = { from: "home", category, search, close, ...view };
  const label = category ? categoryLabel(category) : "All Videos";
  return (
    <>
      <div className="mb-8 flex flex-col gap-4">
        <div className="shown-whole flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:items-center sm:gap-x-3 lg:gap-x-6">
          <SearchBox search={search} category={category} />
          {/* Placed side by side on a phone, so that the list starts higher up. */}
          <div className="flex flex-wrap gap-2 sm:contents">
            <SurpriseLink />
            {joinUrl && (
              <a
                href={joinUrl}
                target="_blank"
                rel="noopener noreferrer"
                className={`${buttonClass("secondary", "lg")} max-sm:grow sm:shrink-0`}
              >
                <MessageCircle aria-hidden="true" className="size-5 text-accent" />
                Join our channel
              </a>
            )}
          </div>
        </div>
        <CategorySelector
          selected={category ?? "all"}
          hrefFor={(id) => choicePath(id, listLocation)}
        />
      </div>
      {isFirst && <ContinueWatching />}
      {featured && (
        <section aria-labelledby="featured" className="mb-8">
          <h2 id="featured" dir="auto" className="mb-3 text-lg font-semibold">
            <PageLink to={`/series/${featured.slug}`}>{featured.title}</PageLink>
          </h2>
          <VideoGrid
            videos={featured.videos}
            hrefFor={(id) => `${videoPath(id)}?series=${featured.slug}`}
            now={now}
          />
        </section>
      )}
      <ListSection
        heading={
          !search ? (
            label
          ) : list.total === 0 ? (
            "Search results"
          ) : (
            <>
              {close ? "Close matches for" : "Results for"} “<bdi>{search}</bdi>”
            </>
          )
        }
        list={list}
        error={error}
        listLocation={listLocation}
        hasChoices
        now={now}
        empty={
          search ? (
            <NoResults
              search={search}
              category={category}
              // The close matches are a better way to continue than categories.
              others={closeMatches?.total ? { ...others, categories: [] } : others}
            />
          ) : (
            <NoVideos anyVideo={anyVideo} />
          )
        }
      />
      {closeMatches && !error && (
        <CloseMatches
          matches={closeMatches}
          hasResults={list.total > 0}
          listLocation={listLocation}
          now={now}
        />
      )}
    </>
  );
}

/** Returns the URL of page 1 of another category with the same search, sort order and length. */
function choicePath(choice: CategoryChoice, listLocation: ListLocation): string {
  if (choice === "trending") return "/trending";
  return listPath({ ...listLocation, category: choice === "all" ? undefined : choice });
}

/** The empty states from the specification, except the one for a search (see NoResults). */
function NoVideos({ anyVideo }: { anyVideo: boolean }) {
  const [title, to, action] = anyVideo
    ? ["No videos found in this category.", "/", "All Videos"]
    : ["No videos available. Upload your first video to get started!", "/admin", "Upload a video"];
  return (
    <EmptyState icon={<Film />} title={title} action={<ButtonLink to={to}>{action}</ButtonLink>} />
  );
}

/** The empty state for a search, with a similar search and popular categories. */
export function NoResults({
  search,
  category,
  others,
}: {
  search: string;
  category?: CategoryId;
  others?: { nearest?: string; categories: readonly CategoryId[] };
}) {
  return (
    <>
      <EmptyState
        icon={<Search />}
        title={
          <>
            No videos found matching “<bdi>{search}</bdi>”
          </>
        }
        action={
          <Form action="/">
            {category && <input type="hidden" name="category" value={category} />}
            <Button>Clear Search</Button>
          </Form>
        }
      >
        {others?.nearest && (
          <p>
            Did you mean{" "}
            <PageLink
              to={listPath({ from: "home", search: others.nearest, category })}
              className="inline-flex min-h-11 items-center font-semibold text-accent underline underline-offset-4 mouse:min-h-0"
            >
              <bdi>{others.nearest}</bdi>
            </PageLink>
            ?
          </p>
        )}
      </EmptyState>
      {others && others.categories.length > 0 && (
        <div className="-mt-6 pb-10 text-center">
          <h2 id="popular-heading" className="text-sm font-semibold text-muted">
            Popular categories
          </h2>
          <ul
            aria-labelledby="popular-heading"
            className="mt-3 flex flex-wrap justify-center gap-2"
          >
            {others.categories.map((id) => (
              <li key={id}>
                <PageLink
                  to={listPath({ from: "categories", category: id })}
                  className={buttonClass("secondary", "sm")}
                >
                  {categoryLabel(id)}
                </PageLink>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
