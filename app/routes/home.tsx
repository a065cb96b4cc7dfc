import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { Film, MessageCircle, Search } from "lucide-react";
import {
  hasAnyVideo,
  listPublished,
  pageParameter,
  searchText,
} from "~/catalogue/lists/listing.server";
import { loadList } from "~/catalogue/lists/load-list.server";
import { homeMeta } from "~/catalogue/meta/catalogue-meta";
import { useLiveRefresh } from "~/live/use-live-refresh";
import { settings } from "~/server/settings.server";
import { siteIdentity } from "~/server/site-origin.server";
import { type ListLocation, listPath } from "~/shared/addresses";
import { categoryLabel, toCategoryId } from "~/shared/categories";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { type CategoryChoice, CategorySelector } from "~/ui/lists/category-selector";
import { ListSection } from "~/ui/lists/list-section";
import { SearchBox } from "~/ui/lists/search-box";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? homeMeta(data.site, data) : [];

export async function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (searchParams.get("category") === "trending") throw redirect("/trending");
  const category = toCategoryId(searchParams.get("category"));
  const search = searchText(searchParams.get("search"));
  const { status, ...result } = await loadList(request, () =>
    listPublished({ category, search, page: pageParameter(searchParams) }),
  );
  const bare = status === 200 && !search && result.list.total === 0;
  const anyVideo = bare ? await hasAnyVideo() : true;
  return data(
    {
      ...result,
      category,
      search,
      anyVideo,
      joinUrl: settings().joinUrl,
      site: siteIdentity(request),
      now: Date.now(),
    },
    { status },
  );
}

export default function Home() {
  useLiveRefresh();
  const { list, error, category, search, anyVideo, joinUrl, now } = useLoaderData<typeof loader>();
  const listLocation: ListLocation = { from: "home", category, search };
  const label = category ? categoryLabel(category) : "All Videos";
  return (
    <>
      <div className="mb-8 flex flex-col gap-4">
        <div className="flex flex-col gap-3 sm:flex-row sm:items-center sm:gap-6">
          <SearchBox search={search} category={category} />
          {joinUrl && (
            <a
              href={joinUrl}
              target="_blank"
              rel="noopener noreferrer"
              className={`${buttonClass("secondary", "pill")} shrink-0`}
            >
              <MessageCircle aria-hidden="true" className="size-5 text-accent" />
              Join our channel
            </a>
          )}
        </div>
        <CategorySelector selected={category ?? "all"} hrefFor={(id) => choicePath(id, search)} />
      </div>
      <ListSection
        heading={
          search ? (
            <>
              Results for “<bdi>{search}</bdi>”
            </>
          ) : (
            label
          )
        }
        list={list}
        error={error}
        listLocation={listLocation}
        now={now}
        empty={<NothingHere search={search} category={category} anyVideo={anyVideo} />}
      />
    </>
  );
}

/** Another category keeps the search text and begins at its first page. */
function choicePath(choice: CategoryChoice, search: string): string {
  if (choice === "trending") return "/trending";
  return listPath({ from: "home", search, category: choice === "all" ? undefined : choice });
}

/** The three empty messages of the specification. */
function NothingHere({
  search,
  category,
  anyVideo,
}: {
  search: string;
  category: ListLocation["category"];
  anyVideo: boolean;
}) {
  if (search) {
    return (
      <EmptyState
        icon={<Search />}
        title={
          <>
            No videos found matching "<bdi>{search}</bdi>"
          </>
        }
        action={
          <Form action="/">
            {category && <input type="hidden" name="category" value={category} />}
            <Button>Clear Search</Button>
          </Form>
        }
      />
    );
  }
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
