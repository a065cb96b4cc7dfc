import { data, type HeadersFunction, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { VideoOff } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { countsAsView } from "~/features/catalogue/views.server";
import {
  countPreview,
  findPreview,
  previewPath,
} from "~/features/library/review/preview-links.server";
import { currentUser } from "~/features/permissions/guard.server";
import { withVersion } from "~/media/serve/file-version.server";
import { needsAgeConfirmation } from "~/platform/age.server";
import { requestContext } from "~/platform/node/request-context.server";
import { videoPath } from "~/shared/addresses";
import { categoryLabel } from "~/shared/categories";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { findVideo } from "../video.server";

export const meta = privateMeta("Preview");

/** In no cache, the browser's own included: what is revoked is gone. */
const PRIVATE = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

export const headers: HeadersFunction = () => PRIVATE;

/** What somebody sees who has the link and no account, as long as the link is not revoked. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const token = params.token ?? "";
  const preview = findPreview(token);
  const video = preview && (await findVideo(preview.videoId));
  if (!preview || !video) return data({ video: undefined }, { status: 404, headers: PRIVATE });
  if (preview.status === "published") throw redirect(videoPath(video.id), { headers: PRIVATE });
  // Behind the entry dialog nobody has seen it yet.
  const isShown = !needsAgeConfirmation(request) || (await currentUser(request)) !== undefined;
  if (isShown && isPageLoad(request) && countsAsView(request)) await countPreview(preview);
  const within = (address: string) => address && previewPath(token) + address;
  const shown = {
    title: video.title,
    description: video.description,
    category: video.category,
    tags: video.tags,
    preparing: video.preparing,
    player: {
      fileUrl: within(await withVersion(video.videoUrl)),
      hlsUrl: video.hlsUrl && within(video.hlsUrl),
      posterUrl: video.thumbnailUrl ? within(video.thumbnailUrl) : undefined,
      captions: video.captions.map((track) => ({ ...track, url: within(track.url) })),
    },
  };
  return data({ video: shown }, { headers: PRIVATE });
}

/** Not a refresh of the page's data. */
function isPageLoad(request: Request): boolean {
  const sent = requestContext()?.request.url ?? new URL(request.url).pathname;
  return request.method === "GET" && !/\.data(\?|$)/.test(sent);
}

export default function PreviewPage() {
  const { video } = useLoaderData<typeof loader>();
  if (!video) {
    return (
      <>
        <h1 className="sr-only">Preview</h1>
        <EmptyState
          icon={<VideoOff />}
          title="This preview link does not work any more."
          action={<ButtonLink to="/">Back to Home</ButtonLink>}
        />
      </>
    );
  }
  return (
    <article className="mx-auto flex w-full max-w-4xl flex-col gap-4">
      <p role="note" className="rounded-lg border border-line bg-surface p-3 text-sm text-muted">
        This is a preview of a video that is not published. Please keep the link to yourself.
      </p>
      {video.player.fileUrl ? (
        // biome-ignore lint/a11y/useMediaCaption: the tracks are those that the video has.
        <video
          controls
          playsInline
          preload="metadata"
          poster={video.player.posterUrl}
          aria-label={video.title}
          className="aspect-video w-full rounded-lg bg-raised"
        >
          {/* For browsers that play streams by themselves; the others go on to the file. */}
          {video.player.hlsUrl && (
            <source src={video.player.hlsUrl} type="application/vnd.apple.mpegurl" />
          )}
          <source src={video.player.fileUrl} />
          {video.player.captions.map(({ url, language, label }) => (
            <track key={url} kind="captions" src={url} srcLang={language} label={label} />
          ))}
        </video>
      ) : (
        <p className="rounded-lg border border-line bg-surface p-8 text-center text-muted">
          {video.preparing ? "This video is being converted." : "There is no file yet."}
        </p>
      )}
      <h1 dir="auto" className="text-xl font-bold wrap-anywhere">
        {video.title}
      </h1>
      <p className="text-sm text-muted wrap-anywhere">
        {[categoryLabel(video.category), ...video.tags].join(" · ")}
      </p>
      {video.description && (
        <p dir="auto" className="wrap-anywhere whitespace-pre-line">
          {video.description}
        </p>
      )}
    </article>
  );
}
