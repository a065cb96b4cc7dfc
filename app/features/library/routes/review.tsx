import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { consentHref } from "~/features/consent/consent";
import { isReported } from "~/features/moderation/reports/report-videos.server";
import { ScanPanel } from "~/features/moderation/scan/scan-panel";
import {
  assertAllowed,
  requirePermission,
  type SessionUser,
} from "~/features/permissions/guard.server";
import { allows, PERMISSIONS, type Permission, reachOf } from "~/features/permissions/permissions";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { siteOrigin } from "~/platform/site-origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { ownMediaPath } from "~/shared/media-path";
import { Badge, StatusBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { loadReview, performReview, type ReviewFailure } from "../review/review.server";
import { ComparisonPanel, FormerUploaderPanel, Notes, PreviewLinks } from "../review/review-panels";

export const meta = privateMeta("Review");

/** Preview links must not be cached, not even by the browser. */
export const headers = noStoreHeaders;

interface ActionData {
  error?: ReviewFailure;
  path?: string;
}

const PERMISSION = "/admin/review/:id";
export async function loader({ request, params }: LoaderFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  return {
    ...reviewOf(params.id, user),
    origin: siteOrigin(request),
  };
}

export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const permission = `${PERMISSION} ${form.get("intent")}`;
  if (Object.hasOwn(PERMISSIONS, permission)) assertAllowed(user, permission as Permission);
  const { video } = reviewOf(params.id, user);
  const result = await performReview(form, video, user);
  if ("status" in result) return data<ActionData>({ error: result }, { status: result.status });
  if ("path" in result) return data<ActionData>(result);
  throw redirectWithToast(`/admin/review/${encodeURIComponent(video.id)}`, result);
}

/** @throws a 404 Response if the video doesn't exist or the user may not see it. */
function reviewOf(id = "", user: SessionUser) {
  const reach = reachOf(user, PERMISSION);
  const maySee = reach !== "reported" || isReported(id);
  const review = maySee
    ? loadReview(
        id,
        reach === "own" ? user.id : undefined,
        allows(user, "/admin/review/:id release-scan"),
      )
    : undefined;
  if (!review) throw new Response(null, { status: 404, statusText: "Not Found" });
  const { video } = review;
  const thumbnailUrl = ownMediaPath(video.thumbnailUrl) ?? null;
  return {
    ...review,
    video: { ...video, thumbnailUrl, videoUrl: ownMediaPath(video.videoUrl) ?? "" },
  };
}

export default function ReviewPage() {
  useLiveRefresh({ jobs: true });
  const {
    video,
    notes,
    links,
    blockedMatches,
    uncompared,
    isHeldForFormerUploader,
    scans,
    origin,
  } = useLoaderData<typeof loader>();
  const { error, path } = useFormResponse<ActionData>() ?? {};
  const may = usePermissions();
  return (
    <AdminPage title="Review" error={error}>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          {video.videoUrl && (
            // biome-ignore lint/a11y/useMediaCaption: captions are shown in the preview.
            <video
              src={video.videoUrl}
              poster={video.thumbnailUrl ?? undefined}
              controls
              playsInline
              preload="metadata"
              aria-label={video.title}
              className="aspect-video w-full rounded-lg bg-raised"
            />
          )}
          <h2 dir="auto" className="text-lg font-semibold wrap-anywhere">
            {video.title}
          </h2>
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted wrap-anywhere">
            <StatusBadge status={video.status} isHeld={video.held === 1} />
            {video.status === "review" && (
              <Badge tone={video.readyAt ? "good" : "plain"}>
                {video.readyAt ? "Ready for review" : "Needs changes"}
              </Badge>
            )}
            {video.uploader && `Uploaded by ${video.uploader}`}
          </p>
          <ScanPanel scans={scans} isToBePublic={video.status === "published"} />
          <ComparisonPanel blockedMatches={blockedMatches} uncompared={uncompared} />
          {isHeldForFormerUploader && (
            <FormerUploaderPanel isToBePublic={video.status === "published"} />
          )}
          {video.status !== "published" &&
            blockedMatches.length === 0 &&
            !uncompared &&
            !scans.some(({ isReplacement }) => !isReplacement) &&
            may("/admin toggle") && (
              <Form method="post" action="/admin?tab=manage" className="mb-3">
                <input type="hidden" name="id" value={video.id} />
                <input type="hidden" name="expectedStatus" value={video.status} />
                <Button name="intent" value="toggle">
                  Publish
                </Button>
              </Form>
            )}
          {may("/admin/videos/:id/consent") && (
            <Link
              to={consentHref(video.id)}
              className="inline-flex min-h-11 items-center self-start text-sm text-accent underline underline-offset-4"
            >
              Consent
            </Link>
          )}
          {may("/admin/review/:id link") && (
            <PreviewLinks links={links} newLink={path && origin + path} />
          )}
        </div>
        <Notes notes={notes} video={video} error={error} />
      </div>
    </AdminPage>
  );
}
