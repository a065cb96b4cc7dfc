import { Form, Link } from "@remix-run/react";
import { EyeOff } from "lucide-react";
import { Badge, StatusBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { AcceptedLine } from "../uploaders/terms-field";
import { CLOSED_LABELS, KIND_LABELS } from "./decisions";
import type { ReportedVideo, ReportPage } from "./report-page.server";

const NOT_THERE: Partial<Record<ReportedVideo["status"], string>> = {
  trash: "In the trash",
  gone: "Deleted for good, or never on this site",
};

export function ReportedVideos({ videos }: Pick<ReportPage, "videos">) {
  return (
    <PageSection id="videos" title="Videos reported">
      {videos.length === 0 && (
        <p className="text-sm text-muted">This report doesn’t name a video of this site.</p>
      )}
      {videos.map((video) => (
        <article
          key={video.id}
          className="flex flex-col gap-2 not-first-of-type:border-t not-first-of-type:border-line not-first-of-type:pt-4"
        >
          {video.videoUrl && (
            <CoveredFilm
              videoUrl={video.videoUrl}
              thumbnailUrl={video.thumbnailUrl}
              title={video.title}
            />
          )}
          <h3 dir="auto" className="font-medium wrap-anywhere">
            {NOT_THERE[video.status] ? (
              video.title || video.id
            ) : (
              <Link
                to={`/admin/review/${encodeURIComponent(video.id)}`}
                className="inline-flex min-h-11 items-center underline underline-offset-4 mouse:min-h-0"
              >
                {video.title}
              </Link>
            )}
          </h3>
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted wrap-anywhere">
            {NOT_THERE[video.status] ? (
              <Badge>{NOT_THERE[video.status]}</Badge>
            ) : (
              <StatusBadge status={video.status} isHeld={video.held !== undefined} />
            )}
            <Decided video={video} />
            {video.uploader && `Uploaded by ${video.uploader}`}
          </p>
          <AcceptedLine accepted={video.accepted} />
          {video.held && <p className="text-sm text-muted">{video.held}</p>}
          {video.filmChangedAt && (
            <p className="text-sm text-warn">
              The file of this video was replaced or deleted on <Time value={video.filmChangedAt} />
              , after the report.
            </p>
          )}
          {video.checked.length > 0 && (
            <p className="text-sm text-muted">
              A moderator has already reviewed this video for:{" "}
              {video.checked.map((kind) => KIND_LABELS[kind]).join(", ")}.
            </p>
          )}
          <OtherFiles video={video} />
          <Form method="post" preventScrollReset>
            <input type="hidden" name="video" value={video.id} />
            <Button
              name="intent"
              value="take-out-video"
              variant="secondary"
              aria-label={`Take ${video.title || video.id} out of the report`}
            >
              Take out of the report
            </Button>
          </Form>
        </article>
      ))}
      <Form
        method="post"
        preventScrollReset
        key={videos.length}
        className="flex flex-wrap items-end gap-3 border-t border-line pt-4"
      >
        <div className="min-w-0 grow basis-60">
          <Field
            label={`Address or ID of ${videos.length > 0 ? "another" : "the"} video`}
            name="address"
            autoComplete="off"
            required
          />
        </div>
        <Button name="intent" value="add-video" variant="secondary">
          Add video
        </Button>
      </Form>
    </PageSection>
  );
}

export function Decided({ video }: { video: Pick<ReportedVideo, "decision" | "choices"> }) {
  if (video.decision) {
    return (
      <Badge tone="good" className="shrink-0">
        {CLOSED_LABELS[video.decision]}
      </Badge>
    );
  }
  if (video.choices.length === 0) return null;
  return (
    <Badge tone="warn" className="shrink-0">
      To decide
    </Badge>
  );
}

/**
 * A player that nobody sees by accident: the poster is blurred and the player is hidden until a moderator opens it.
 * Closing it pauses the video.
 */
function CoveredFilm({
  videoUrl,
  thumbnailUrl,
  title,
}: Pick<ReportedVideo, "videoUrl" | "thumbnailUrl" | "title">) {
  return (
    <details
      className="group w-full max-w-md"
      onToggle={({ currentTarget }) => {
        if (!currentTarget.open) currentTarget.querySelector("video")?.pause();
      }}
    >
      <summary className="relative flex cursor-pointer list-none overflow-hidden rounded-lg bg-raised not-group-open:aspect-video group-open:mb-2 [&::-webkit-details-marker]:hidden">
        {thumbnailUrl && (
          <img
            src={thumbnailUrl}
            alt=""
            loading="lazy"
            className="size-full scale-110 object-cover blur-2xl group-open:hidden"
          />
        )}
        <span className="flex min-h-11 items-center gap-2 rounded-lg bg-shade/80 px-4 text-sm font-medium group-open:bg-transparent not-group-open:absolute not-group-open:inset-0 not-group-open:m-auto not-group-open:h-11 not-group-open:w-fit">
          <EyeOff aria-hidden="true" className="size-4" />
          <span className="group-open:hidden">
            Show <span className="sr-only">{title}</span>
          </span>
          <span className="not-group-open:hidden">
            Cover <span className="sr-only">{title}</span>
          </span>
        </span>
      </summary>
      {/* biome-ignore lint/a11y/useMediaCaption: moderators check the video itself. */}
      <video
        src={videoUrl}
        poster={thumbnailUrl ?? undefined}
        controls
        playsInline
        preload="none"
        aria-label={title}
        className="aspect-video w-full rounded-lg bg-raised"
      />
    </details>
  );
}

const FILE_LABELS = {
  pending: "New file, not in use yet, uploaded",
  earlier: "Earlier file, replaced",
  original: "Original file before trimming, replaced",
} as const;

function OtherFiles({ video }: { video: ReportedVideo }) {
  if (video.otherFiles.length === 0) return null;
  return (
    <ul aria-label={`Other files of ${video.title}`} className="flex flex-col gap-2 text-sm">
      {video.otherFiles.map(({ id, state, at, email, videoUrl }) => (
        <li key={id} className="flex flex-col gap-2">
          <span className="text-muted figures">
            {FILE_LABELS[state]} <Time value={at} />
            {email && ` by ${email}`}
          </span>
          {videoUrl && (
            <CoveredFilm
              videoUrl={videoUrl}
              thumbnailUrl={null}
              title={`${video.title}, new file`}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
