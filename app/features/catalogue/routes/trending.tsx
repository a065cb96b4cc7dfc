import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { TrendingUp } from "lucide-react";
import { siteIdentity } from "~/platform/site-origin.server";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { ListSection } from "../lists/list-section";
import { listTrending, pageParameter } from "../lists/listing.server";
import { loadList } from "../lists/load-list.server";
import { trendingMeta } from "../meta/catalogue-meta";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? trendingMeta(data.site, data) : [];

export async function loader({ request }: LoaderFunctionArgs) {
  const page = pageParameter(new URL(request.url).searchParams);
  const { status, ...result } = await loadList(request, () => listTrending({ page }));
  return data({ ...result, site: siteIdentity(request), now: Date.now() }, { status });
}

export default function Trending() {
  useLiveRefresh();
  const { list, error, now } = useLoaderData<typeof loader>();
  return (
    <ListSection
      heading="Trending"
      list={list}
      error={error}
      listLocation={{ from: "trending" }}
      now={now}
      ranked={list.page === 1}
      empty={
        <EmptyState
          icon={<TrendingUp />}
          title="No trending videos found. Upload some content to get started!"
          action={<ButtonLink to="/">Back to Home</ButtonLink>}
        />
      }
    />
  );
}
