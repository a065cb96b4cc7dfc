import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { TrendingUp } from "lucide-react";
import { siteIdentity } from "~/platform/site-origin.server";
import { pageParameter } from "~/shared/pages";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { trendingMeta } from "../catalogue-meta";
import { ListSection } from "../list-section";
import { listTrending, loadList } from "../published-list.server";

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
