import { Form, Link, useNavigation } from "@remix-run/react";
import {
  CalendarClock,
  Copy,
  Eye,
  EyeOff,
  Film,
  MessageSquare,
  Pencil,
  RefreshCw,
  Trash2,
  UserRoundCheck,
} from "lucide-react";
import type { ReactNode } from "react";
import { type ConsentState, consentHref } from "~/features/consent/consent";
import { ConsentLine } from "~/features/consent/consent-line";
import { BlockListMatchNotice, HoldNotice } from "~/features/moderation/hold-notices";
import { usePermissions } from "~/features/permissions/use-permissions";
import { JobLine } from "~/features/processing/queue/job-progress";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { queueHref } from "~/features/processing/screens/queue-address";
import { categoryLabel } from "~/shared/categories";
import { formatAge, formatCount } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { videoStatisticsHref } from "~/shared/statistics-address";
import { Badge, MetadataBadge, StatusBadge } from "~/ui/badge";
import { buttonClass } from "~/ui/button";
import { LocalTime } from "~/ui/time";
import { BULK_FORM } from "../bulk/bulk";
import type { ManagedVideo } from "../managed-video";
import type { SimilarVideo } from "../similar-videos.server";
import { COLUMNS, type Column, type ManageView, manageHref } from "./manage-address";

/** A video in the list: a table row on wide screens, a card on phones. */
export function VideoRow({
  video,
  jobs,
  similar,
  resemblesBlocked,
  held,
  consent,
  view,
  now,
  selected,
  onSelect,
  tabIndex,
  onFocus,
}: {
  video: ManagedVideo;
  /** The video's unfinished jobs. */
  jobs: JobSummary | undefined;
  /** The videos that this video resembles. */
  similar: SimilarVideo[] | undefined;
  /** Whether the video resembles a video on the block list, so that an editor has to compare the two. */
  resemblesBlocked: boolean;
  /** The reason why the video can't be published, if it is on hold. */
  held: string | undefined;
  /** The state of the video's consent record, if one is required. */
  consent: ConsentState | undefined;
  view: ManageView;
  /** Unix time in milliseconds, sent by the server so that the server and the browser render the same output. */
  now: number;
  /** Undefined before hydration, because only the browser knows whether the row is selected. */
  selected: boolean | undefined;
  onSelect: () => void;
  tabIndex: number | undefined;
  onFocus: () => void;
}) {
  const may = usePermissions();
  return (
    <tr className="video-row" tabIndex={tabIndex} onFocus={onFocus} data-selected={selected}>
      <td className="video-list-select">
        <input
          type="checkbox"
          form={BULK_FORM}
          name="selected"
          value={video.id}
          aria-label={`Select ${video.title}`}
          checked={selected}
          onChange={onSelect}
          tabIndex={tabIndex}
        />
      </td>
      <td className="video-row-title">
        <div>
          <Thumbnail url={video.thumbnailUrl} />
          <div className="flex min-w-0 flex-col gap-1">
            <Link
              to={`/video/${encodeURIComponent(video.id)}`}
              dir="auto"
              className="flex min-h-11 min-w-0 items-center font-medium hover:text-accent mouse:min-h-0"
            >
              <span className="line-clamp-2">{video.title}</span>
            </Link>
            {video.hasMetadata && <MetadataBadge />}
            <JobLine summary={jobs} />
            {resemblesBlocked && <BlockListMatchNotice id={video.id} title={video.title} />}
            <SimilarLine video={video} similar={similar} action={manageHref(view)} />
            {/* A missing record is also the reason for a hold, but it is shown only once. */}
            {!(consent?.kind === "lacking" && consent.message === held) && (
              <HoldNotice id={video.id} title={video.title} held={held} />
            )}
            <ConsentLine id={video.id} title={video.title} state={consent} />
          </div>
        </div>
      </td>
      {(view.columns ?? COLUMNS).map((column) => (
        <Cell key={column} column={column} video={video} now={now} />
      ))}
      <td className="video-row-actions">
        <div>
          {may("/admin update", video) && (
            <IconLink to={manageHref(view, { edit: video.id })} label={`Edit ${video.title}`}>
              <Pencil />
            </IconLink>
          )}
          {video.status === "review" && (
            <IconLink
              to={`/admin/review/${encodeURIComponent(video.id)}`}
              label={`Review ${video.title}`}
            >
              <MessageSquare />
            </IconLink>
          )}
          {may("/admin toggle") && <Toggle video={video} action={manageHref(view)} />}
          {may("/admin schedule") && (
            <IconLink
              to={manageHref(view, { schedule: video.id })}
              label={`Schedule ${video.title}`}
            >
              <CalendarClock />
            </IconLink>
          )}
          {may("/admin/videos/:id/consent") && (
            <IconLink to={consentHref(video.id)} label={`Consent for ${video.title}`}>
              <UserRoundCheck />
            </IconLink>
          )}
          {may("/admin/queue") && (
            <IconLink
              to={queueHref({ video: video.id })}
              label={`Processing jobs for ${video.title}`}
            >
              <RefreshCw />
            </IconLink>
          )}
          {may("/admin delete", video) && (
            <IconLink to={manageHref(view, { delete: video.id })} label={`Delete ${video.title}`}>
              <Trash2 />
            </IconLink>
          )}
        </div>
      </td>
    </tr>
  );
}

function Cell({ column, video, now }: { column: Column; video: ManagedVideo; now: number }) {
  switch (column) {
    case "status":
      return (
        <td>
          <StatusBadge status={video.status} isHeld={video.isHeld} />
          {video.isReady && <Badge tone="good">Ready</Badge>}
          <ScheduleTimes video={video} />
        </td>
      );
    case "category":
      return <td>{categoryLabel(video.category)}</td>;
    case "duration":
      return <td className="text-right figures">{video.duration}</td>;
    case "views":
      return (
        <td className="text-right figures">
          <Link
            to={videoStatisticsHref(video.id)}
            title={`Statistics for ${video.title}`}
            className="inline-block min-w-11 py-3 underline decoration-line-strong underline-offset-4 hover:text-accent mouse:min-w-0 mouse:py-0"
          >
            {formatCount(video.views)}{" "}
            <span className="@min-[58rem]/videos:sr-only">
              {video.views === 1 ? "view" : "views"}
            </span>
            <span className="sr-only"> of {video.title}</span>
          </Link>
        </td>
      );
    case "size":
      return <td className="text-right figures">{formatStorage(video.bytes)}</td>;
    case "added":
      return (
        <td>
          <time dateTime={video.createdAt}>{formatAge(video.createdAt, now)}</time>
        </td>
      );
    default:
      return column satisfies never;
  }
}

const ICON_BUTTON = `${buttonClass("ghost", "sm")} size-11 !px-0 [&_svg]:size-5`;

function IconLink({ to, label, children }: { to: string; label: string; children: ReactNode }) {
  return (
    <Link to={to} preventScrollReset aria-label={label} title={label} className={ICON_BUTTON}>
      {children}
    </Link>
  );
}

function Toggle({ video, action }: { video: ManagedVideo; action: string }) {
  const sent = useNavigation().formData;
  const busy = sent?.get("intent") === "toggle" && sent.get("id") === video.id;
  const published = video.status === "published";
  const label = `${published ? "Hide" : "Show"} ${video.title}`;
  return (
    <Form method="post" action={action} preventScrollReset>
      <input type="hidden" name="intent" value="toggle" />
      <input type="hidden" name="id" value={video.id} />
      <input type="hidden" name="expectedStatus" value={video.status} />
      <button
        type="submit"
        aria-label={label}
        title={label}
        disabled={busy}
        className={ICON_BUTTON}
      >
        {published ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
      </button>
    </Form>
  );
}

function Thumbnail({ url }: { url: string | null }) {
  if (!url) {
    return (
      <span className="video-row-thumbnail grid place-items-center text-muted">
        <Film aria-hidden="true" className="size-5" />
      </span>
    );
  }
  return <img src={url} alt="" loading="lazy" decoding="async" className="video-row-thumbnail" />;
}

/** Links to similar videos, each with a button to mark the video as not a duplicate. */
function SimilarLine({
  video,
  similar = [],
  action,
}: {
  video: ManagedVideo;
  similar: SimilarVideo[] | undefined;
  /** The URL of the list. */
  action: string;
}) {
  const may = usePermissions();
  return similar.map((other) => (
    <div key={other.id} className="flex flex-wrap items-center gap-x-4 text-sm text-muted">
      <span className="inline-flex min-w-0 items-start gap-1.5">
        <Copy aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0">
          Similar to:{" "}
          <Link
            to={
              other.isPublic
                ? `/video/${encodeURIComponent(other.id)}`
                : `/admin?tab=manage&edit=${encodeURIComponent(other.id)}`
            }
            className="py-2.5 text-accent underline underline-offset-4"
          >
            <bdi>{other.title}</bdi>
          </Link>
        </span>
      </span>
      {may("/admin not-same", video) && (
        <Form method="post" action={action} preventScrollReset>
          <input type="hidden" name="intent" value="not-same" />
          <input type="hidden" name="id" value={video.id} />
          <input type="hidden" name="other" value={other.id} />
          <button
            type="submit"
            aria-label={`Not a duplicate: ${video.title} and ${other.title}`}
            className="min-h-11 underline underline-offset-4 hover:text-ink mouse:min-h-0"
          >
            Not a duplicate
          </button>
        </Form>
      )}
    </div>
  ));
}

/** The times at which a video will be automatically published and hidden. */
function ScheduleTimes({ video: { status, schedule } }: { video: ManagedVideo }) {
  const { publishAt, unpublishAt } = schedule;
  return (
    <>
      {publishAt && status !== "published" && <ScheduledTime label="Publishes" at={publishAt} />}
      {unpublishAt && <ScheduledTime label="Hides" at={unpublishAt} />}
    </>
  );
}

function ScheduledTime({ label, at }: { label: string; at: string }) {
  return (
    <span className="video-row-schedule block text-xs">
      {label} <LocalTime value={at} />
    </span>
  );
}
