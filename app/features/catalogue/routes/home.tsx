import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Film, MessageCircle } from "lucide-react";
import { ContinueWatching } from "~/features/watch/saved/continue-watching";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { type ListLocation, listPath, tagPath, videoPath } from "~/shared/addresses";
import { categoryLabel, toCategoryId } from "~/shared/categories";
import { isDefaultView, parseListView } from "~/shared/list-view";
import { ButtonLink, buttonClass } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { VideoGrid } from "../cards/video-grid";
import { type CategoryChoice, CategorySelector } from "../lists/category-selector";
import { ListSection } from "../lists/list-section";
import {
  closeMatches,
  hasAnyVideo,
  listPublished,
  pageParameter,
  searchText,
} from "../lists/listing.server";
import { loadList } from "../lists/load-list.server";
import { NothingFound } from "../lists/nothing-found";
import { SearchBox } from "../lists/search-box";
import { SurpriseLink } from "../lists/surprise-link";
import { homeMeta } from "../meta/catalogue-meta";
import { otherSearches } from "../search/did-you-mean.server";
import { featuredSeries } from "../series/public-series.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? homeMeta(data.site, data) : [];

export async function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (searchParams.get("category") === "trending") throw redirect("/trending");
  const category = toCategoryId(searchParams.get("category"));
  const search = searchText(searchParams.get("search"));
  const view = parseListView(searchParams);
  const { status, ...result } = await loadList(request, () =>
    listPublished({ category, search, view, page: pageParameter(searchParams) }),
  );
  const bare = status === 200 && !search && !view.length && result.list.total === 0;
  const anyVideo = bare ? await hasAnyVideo() : true;
  const isFruitless = status === 200 && search !== "" && result.list.total === 0;
  const others = isFruitless ? await otherSearches(search, category) : undefined;
  const isLast = status === 200 && result.list.page === result.list.pageCount;
  const isFirst = result.list.page === 1 && !search && !category && isDefaultView(view);
  return data(
    {
      ...result,
      category,
      search,
      view,
      anyVideo,
      others,
      close: search && isLast ? await closeMatches({ search, category }) : undefined,
      isFirst,
      featured: isFirst ? featuredSeries() : undefined,
      joinUrl: settings().joinUrl,
      site: siteIdentity(request),
      now: Date.now(),
    },
    { status },
  );
}

export default function Home() {
  useLiveRefresh();
  const { list, error, category, search, view, anyVideo, others, close, joinUrl, ...loaded } =
    useLoaderData<typeof loader>();
  const { now, isFirst, featured } = loaded;
  const listLocation: ListLocation = { from: "home", category, search, ...view };
  const label = category ? categoryLabel(category) : "All Videos";
  return (
    <>
      <div className="mb-8 flex flex-col gap-4">
        <div className="shown-whole flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:items-center sm:gap-x-3 lg:gap-x-6">
          <SearchBox search={search} category={category} />
          {/* Side by side on a phone, so that the list begins higher up. */}
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
              Results for “<bdi>{search}</bdi>”
            </>
          )
        }
        list={list}
        error={error}
        listLocation={listLocation}
        hasChoices={!search}
        now={now}
        empty={
          search ? (
            <NothingFound search={search} category={category} others={others} />
          ) : (
            <NothingHere anyVideo={anyVideo} />
          )
        }
      />
      {close && (
        <section aria-labelledby="close-matches" className="mt-10">
          <h2 id="close-matches" className="text-lg font-semibold">
            Close matches
          </h2>
          <p className="mt-1 mb-5 text-sm text-muted">
            Videos tagged{" "}
            <PageLink
              to={tagPath(close.tag)}
              dir="auto"
              className="text-accent underline underline-offset-4"
            >
              {close.tag}
            </PageLink>
          </p>
          <VideoGrid
            videos={close.videos}
            hrefFor={(id) => videoPath(id, { from: "tags", tag: close.tag })}
            now={now}
          />
        </section>
      )}
    </>
  );
}

/** Another category keeps search, order and length, and begins at its first page. */
function choicePath(choice: CategoryChoice, listLocation: ListLocation): string {
  if (choice === "trending") return "/trending";
  return listPath({ ...listLocation, category: choice === "all" ? undefined : choice });
}

/** The empty messages of the specification; that of a search is in NothingFound. */
function NothingHere({ anyVideo }: { anyVideo: boolean }) {
  if (anyVideo) {
    return (
      <EmptyState
        icon={<Film />}
        title="No videos found in this category."
        action={<ButtonLink to="/">All Videos</ButtonLink>}
      />
    );
  }
  return (
    <EmptyState
      icon={<Film />}
      title="No videos available. Upload your first video to get started!"
      action={<ButtonLink to="/admin">Upload a video</ButtonLink>}
    />
  );
}
