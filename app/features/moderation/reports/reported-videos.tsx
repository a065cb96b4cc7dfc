import { Form, Link, useNavigation } from "@remix-run/react";
import { EyeOff } from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import type { Strikeable } from "~/features/accounts/users/strike-rules";
import { formatQuantity } from "~/shared/format";
import { Badge, StatusBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { CheckField, Field, TextAreaField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { AcceptedLine } from "../uploaders/terms-field";
import type { DecisionFailure } from "./decide.server";
import {
  CLOSED_LABELS,
  DECISION_HINTS,
  DECISION_LABELS,
  KIND_LABELS,
  MAX_REASON_LENGTH,
  type ModeratorDecision,
} from "./decisions";
import type { ReportedVideo, ReportPage } from "./report-page.server";

const NOT_THERE: Partial<Record<ReportedVideo["status"], string>> = {
  trash: "In the trash",
  gone: "Deleted for good, or never on this site",
};

export function ReportedVideos({ videos }: Pick<ReportPage, "videos">) {
  return (
    <PageSection id="videos" title="Videos reported">
      {videos.length === 0 && (
        <p className="text-sm text-muted">
          The reported video couldn’t be identified. Add it below.
        </p>
      )}
      {videos.map((video) => (
        <article
          key={video.id}
          className="flex flex-col gap-2 not-first-of-type:border-t not-first-of-type:border-line not-first-of-type:pt-4"
        >
          {video.videoUrl && (
            <CoveredVideo
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
          {video.fileChangedAt && (
            <p className="text-sm text-warn">
              This video’s file was replaced or deleted on <Time value={video.fileChangedAt} />,
              after the report was received.
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
              aria-label={`Remove ${video.title || video.id} from the report`}
            >
              Remove from report
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
            label={`URL or ID of ${videos.length > 0 ? "another" : "the"} video`}
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

function Decided({ video }: { video: Pick<ReportedVideo, "decision" | "choices"> }) {
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
      Open
    </Badge>
  );
}

/**
 * A player that can't be seen by accident: the poster is blurred, and the player is hidden until a moderator opens it.
 * Closing it pauses the video.
 */
function CoveredVideo({
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
            <CoveredVideo
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

export function DecisionForm({
  page: { videos, choices, strikeable, version },
  error,
}: {
  page: ReportPage;
  error?: DecisionFailure;
}) {
  const busy = useNavigation().formData?.has("decision") ?? false;
  const form = useRef<HTMLFormElement>(null);
  useDecisionKeys(form);
  const here = videos.filter((video) => video.choices.length > 0);
  const isAnyWaiting = here.some(({ decision }) => decision === null);
  return (
    <PageSection id="decide" title="Decide">
      <Form ref={form} method="post" key={version} className="flex flex-col gap-4">
        <input type="hidden" name="version" value={version} />
        {here.length === 1 && <input type="hidden" name="video" value={here[0]?.id} />}
        {here.length > 1 && (
          <fieldset className="flex flex-col">
            <legend className="text-sm font-medium">Videos</legend>
            {here.map((video) => (
              <label
                key={video.id}
                className="flex min-h-11 items-center gap-3 text-sm wrap-anywhere"
              >
                <input
                  type="checkbox"
                  name="video"
                  value={video.id}
                  defaultChecked={video.decision === null || !isAnyWaiting}
                  className="size-5 shrink-0"
                />
                <span dir="auto" className="min-w-0">
                  {video.title || video.id}
                </span>
                <Decided video={video} />
              </label>
            ))}
            <p className="text-sm text-muted">The report closes when every video has a decision.</p>
          </fieldset>
        )}
        <fieldset className="flex flex-col gap-1">
          <legend className="text-sm font-medium">Decision</legend>
          {choices.map((decision) => (
            <label key={decision} className="flex min-h-11 items-start gap-3 py-2 text-sm">
              <input
                type="radio"
                name="decision"
                value={decision}
                required
                aria-labelledby={`decision-${decision}`}
                aria-describedby={`decision-${decision}-hint`}
                aria-keyshortcuts={DECISION_KEYS[decision]}
                className="size-5 shrink-0"
              />
              <span>
                <span id={`decision-${decision}`} className="font-medium">
                  {DECISION_LABELS[decision]}
                </span>{" "}
                <kbd className="rounded-sm border border-line px-1.5 font-mono text-xs text-muted uppercase max-md:hidden">
                  {DECISION_KEYS[decision]}
                </kbd>
                <span id={`decision-${decision}-hint`} className="block text-muted">
                  {DECISION_HINTS[decision]}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        {choices.includes("remove") && strikeable.length > 0 && (
          <div className="text-sm">
            <CheckField
              name="strike"
              defaultChecked={error?.isStrike}
              aria-describedby="strike-hint"
            >
              <span className="font-medium">
                If you choose Remove, also give the uploader a strike
              </span>
            </CheckField>
            <p id="strike-hint" className="pl-8 text-muted wrap-anywhere">
              {strikeable.map(strikeHint).join(" ")} The reason appears on their account page.
            </p>
          </div>
        )}
        <TextAreaField
          label="Reason"
          name="reason"
          required
          maxLength={MAX_REASON_LENGTH}
          defaultValue={error?.reason}
          hint="Shown to the reporter and the uploader. Don’t name either of them."
        />
        <Button busy={busy} busyLabel="Deciding..." className="self-start">
          Decide
        </Button>
      </Form>
    </PageSection>
  );
}

function strikeHint({ email, strikes, isLast }: Strikeable): string {
  const has = `${email} has ${strikes === 0 ? "no strikes" : formatQuantity(strikes, "strike")}`;
  return isLast ? `${has}. This strike will block the account.` : `${has}.`;
}

const DECISION_KEYS: Record<ModeratorDecision, string> = {
  hide: "h",
  keep: "k",
  remove: "r",
  restore: "b",
  "counter-notice": "c",
  "not-here": "n",
  ask: "a",
};

/** Elements in which letter keys don't select a decision: text fields and dialogs. */
const TYPING = 'input:not([type="radio"], [type="checkbox"]), select, textarea, dialog';

/** Lets letter keys select a decision and move the focus to the reason. */
function useDecisionKeys(form: RefObject<HTMLFormElement>): void {
  useEffect(() => {
    const choose = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      const choices = form.current?.querySelectorAll<HTMLInputElement>('input[name="decision"]');
      const chosen = [...(choices ?? [])].find(
        ({ value }) => DECISION_KEYS[value as ModeratorDecision] === event.key.toLowerCase(),
      );
      if (!chosen) return;
      event.preventDefault();
      chosen.checked = true;
      form.current?.querySelector("textarea")?.focus();
    };
    window.addEventListener("keydown", choose);
    return () => window.removeEventListener("keydown", choose);
  }, [form]);
}
