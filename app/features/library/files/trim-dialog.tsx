import { Form, useNavigation } from "@remix-run/react";
import { useRef, useState } from "react";
import { formatStorage } from "~/shared/format-bytes";
import { secondsOf } from "~/shared/timestamps";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import { StoryboardGrid } from "../edit/position-picker";
import { formatExactPosition, parsePosition } from "../edit/positions";
import { type FormFailure, formatRange, type TrimView, type TypedRange } from "../managed-video";
import { type FileDialogProps, PendingFile } from "./file-parts";

/** The dialog that trims a video, shows the pending trimmed file, and undoes an existing trim. */
export function TrimDialog({
  video,
  trim,
  files: { pending, original },
  jobs,
  error,
  list,
  address,
  now,
}: FileDialogProps & { trim: TrimView }) {
  const isUndoing = useNavigation().formData?.get("intent") === "undo-trim";
  return (
    <Dialog title="Trim video" description={video.title} closeTo={list} wide>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        Trim to the exact frame without losing the original. The current version stays online until
        the trimmed one is ready. Captions, thumbnail and storyboard are adjusted; times and
        chapters in the description don’t change.
      </p>
      {trim.range && (
        <section
          aria-label="Current trim"
          className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line p-4"
        >
          <p className="min-w-0 text-sm figures">
            {`Plays ${formatRange(trim.range)} of ${trim.duration}.`}
            {original && (
              <span className="text-muted">{` The original takes up ${formatStorage(original.bytes)}.`}</span>
            )}
          </p>
          {!pending && (
            <Form method="post" action={list} preventScrollReset>
              <input type="hidden" name="intent" value="undo-trim" />
              <input type="hidden" name="id" value={video.id} />
              <Button variant="secondary" size="sm" busy={isUndoing} busyLabel="Undoing...">
                Undo trim
              </Button>
            </Form>
          )}
        </section>
      )}
      {pending ? (
        <PendingFile video={video} file={pending} jobs={jobs} list={list} now={now} />
      ) : trim.url ? (
        <TrimForm
          key={`${trim.url} ${trim.range && formatRange(trim.range)}`}
          videoId={video.id}
          trim={trim}
          rejected={error?.trim}
          list={list}
          address={address}
        />
      ) : (
        <p className="text-sm">
          This video can’t be trimmed yet because it has no file on this site.
        </p>
      )}
    </Dialog>
  );
}

/**
 * The fields for the start and end of the trimmed range. With JavaScript, buttons use the player's position, and the
 * player seeks to a typed position.
 */
function TrimForm({
  videoId,
  trim: { url, duration, frames, range: savedRange },
  rejected,
  list,
  address,
}: {
  videoId: string;
  trim: TrimView;
  rejected: FormFailure["trim"];
  /** The URL that Cancel leads to. */
  list: string;
  /** The URL of the dialog, which the form is sent to. */
  address: string;
}) {
  const player = useRef<HTMLVideoElement>(null);
  const stopAt = useRef<number>();
  const hydrated = useHydrated();
  const busy = useNavigation().formData?.get("intent") === "trim";
  const [typed, setTyped] = useState<TypedRange>(
    rejected?.typed ?? {
      start: savedRange ? formatExactPosition(savedRange.start) : "",
      end: savedRange ? formatExactPosition(savedRange.end) : "",
    },
  );
  const start = typed.start.trim() ? parsePosition(typed.start) : 0;
  const end = typed.end.trim() ? parsePosition(typed.end) : secondsOf(duration);
  const range =
    start !== undefined && end !== undefined && end > start ? { start, end } : undefined;

  function seek(seconds: number | undefined) {
    stopAt.current = undefined;
    if (player.current && seconds !== undefined) player.current.currentTime = seconds;
  }

  function type(name: keyof TypedRange, text: string) {
    setTyped((before) => ({ ...before, [name]: text }));
    seek(parsePosition(text));
  }

  function setToCurrent(name: keyof TypedRange) {
    if (!player.current) return;
    const text = formatExactPosition(player.current.currentTime);
    setTyped((before) => ({ ...before, [name]: text }));
  }

  function preview() {
    if (!player.current || !range) return;
    player.current.currentTime = range.start;
    stopAt.current = range.end;
    // The player itself shows the error.
    player.current.play().catch(() => {});
  }

  return (
    <Form method="post" action={address} preventScrollReset className="flex flex-col gap-5">
      <input type="hidden" name="intent" value="trim" />
      <input type="hidden" name="id" value={videoId} />
      <video
        ref={player}
        src={url}
        aria-label="Original video"
        controls
        muted
        playsInline
        preload={hydrated ? "metadata" : "none"}
        onTimeUpdate={({ currentTarget }) => {
          if (stopAt.current === undefined || currentTarget.currentTime < stopAt.current) return;
          stopAt.current = undefined;
          currentTarget.pause();
        }}
        className="aspect-video w-full rounded-md bg-raised"
      />
      {hydrated && (
        <StoryboardGrid
          frames={frames}
          legend="Jump to a frame"
          name="shown"
          onChoose={(position) => seek(parsePosition(position))}
        />
      )}
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        {(["start", "end"] as const).map((name) => (
          <div key={name} className="flex flex-col items-start gap-2">
            <div className="w-full">
              <Field
                label={name === "start" ? "Starts at" : "Ends at"}
                name={name}
                placeholder={name === "start" ? "0:00" : duration}
                hint={
                  name === "start"
                    ? "Position in the original (m:ss). Leave blank to keep the beginning."
                    : "Leave blank to keep the end."
                }
                value={typed[name]}
                onChange={(event) => type(name, event.currentTarget.value)}
                error={rejected?.fields[name]}
              />
            </div>
            {hydrated && (
              <Button
                type="button"
                variant="secondary"
                size="sm"
                onClick={() => setToCurrent(name)}
              >
                {name === "start" ? "Set start" : "Set end"}
              </Button>
            )}
          </div>
        ))}
      </div>
      {hydrated && (
        <p role="status" className="text-sm text-muted figures">
          {range
            ? `Length after trimming: ${formatExactPosition(range.end - range.start)}`
            : "The end must be after the start."}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-3">
        {hydrated && (
          <Button type="button" variant="ghost" onClick={preview} disabled={!range}>
            Preview
          </Button>
        )}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button busy={busy} busyLabel="Saving...">
          Save trim
        </Button>
      </div>
    </Form>
  );
}
