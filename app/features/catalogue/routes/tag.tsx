import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Tag } from "lucide-react";
import { siteIdentity } from "~/platform/site-origin.server";
import { listPath } from "~/shared/addresses";
import { pageParameter } from "~/shared/pages";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { tagMeta } from "../catalogue-meta";
import { ListSection } from "../list-section";
import { listTagged, loadList } from "../published-list.server";
import { requestedTag } from "../tags.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? tagMeta(data.site, data) : [];

export async function loader({ request }: LoaderFunctionArgs) {
  const { tag, name } = await requestedTag(request);
  const page = pageParameter(new URL(request.url).searchParams);
  const { status, ...result } = await loadList(request, () => listTagged({ tag, page }));
  const isUnknown = status === 200 && result.list.total === 0;
  return data(
    { ...result, tag: name, site: siteIdentity(request), now: Date.now() },
    { status: isUnknown ? 404 : status },
  );
}

export default function TagPage() {
  useLiveRefresh();
  const { list, error, tag, now } = useLoaderData<typeof loader>();
  return (
    <ListSection
      heading={
        <>
          Videos tagged “<bdi>{tag}</bdi>”
        </>
      }
      list={list}
      error={error}
      listLocation={{ from: "tags", tag }}
      now={now}
      empty={
        <EmptyState
          icon={<Tag />}
          title="No videos found with this tag."
          action={
            <ButtonLink to={listPath({ from: "home", search: tag })}>
              Search titles and tags
            </ButtonLink>
          }
        >
          A search also finds titles and other tags that contain this text.
        </EmptyState>
      }
    />
  );
}
