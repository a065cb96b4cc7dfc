import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { listPublished, pageParameter } from "~/catalogue/listing.server";
import { EmptyState } from "~/ui/empty-state";
import { Pager } from "~/ui/pager";
import { VideoGrid } from "~/ui/video-grid";

export async function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  return { ...(await listPublished({ page: pageParameter(searchParams) })), now: Date.now() };
}

export default function Home() {
  const { videos, page, pageCount, now } = useLoaderData<typeof loader>();
  return (
    <>
      <h1 className="sr-only">Videos</h1>
      {videos.length === 0 ? (
        <EmptyState title="No videos available. Upload your first video to get started!" />
      ) : (
        <VideoGrid videos={videos} now={now} hrefFor={(id) => `/video/${id}`} />
      )}
      <Pager
        page={page}
        pageCount={pageCount}
        hrefFor={(asked) => (asked > 1 ? `/?page=${asked}` : "/")}
      />
    </>
  );
}
