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

/** Responses are never cached, not even by the browser, so that a revoked link shows nothing. */
const PRIVATE = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

export const headers: HeadersFunction = () => PRIVATE;

/** Loads the video for anyone who has the link, even without an account, until the link is revoked. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const token = params.token ?? "";
  const preview = findPreview(token);
  const video = preview && (await findVideo(preview.videoId));
  if (!preview || !video) return data({ video: undefined }, { status: 404, headers: PRIVATE });
  if (preview.status === "published") throw redirect(videoPath(video.id), { headers: PRIVATE });
  // While the age gate is shown, the visitor hasn't seen the video yet.
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

/** Returns whether the request loads the page instead of only refreshing its data. */
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
          title="This preview link no longer works."
          action={<ButtonLink to="/">Back to Home</ButtonLink>}
        />
      </>
    );
  }
  return (
    <article className="mx-auto flex w-full max-w-4xl flex-col gap-4">
      <p role="note" className="rounded-lg border border-line bg-surface p-3 text-sm text-muted">
        This is a preview of an unpublished video. Please don’t share the link.
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
          {/* Browsers with native HLS support play the playlist. Other browsers play the file. */}
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
          {video.preparing ? "This video is being converted." : "This video has no file yet."}
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
