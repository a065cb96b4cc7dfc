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
import { exactPosition, parsePosition } from "../edit/positions";
import { cutText, type FormFailure, type TrimView, type TypedCut } from "../managed-video";
import { type FileDialogProps, PendingFile } from "./file-parts";

/** Sets where a video starts and ends, shows the cut that is being made, and undoes the one there is. */
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
    <Dialog title="Start and End" description={video.title} closeTo={list} wide>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        The video becomes a part of its video, exact to the picture; it plays as it is until the cut
        is ready. The whole video is kept, and the cut can be undone. Captions, pictures and stream
        follow the cut; times and chapters in the description are not changed.
      </p>
      {trim.cut && (
        <section
          aria-label="The cut there is"
          className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line p-4"
        >
          <p className="min-w-0 text-sm figures">
            {`It plays ${cutText(trim.cut)} of ${trim.duration}.`}
            {original && (
              <span className="text-muted">{` The whole video takes ${formatStorage(original.bytes)}.`}</span>
            )}
          </p>
          {!pending && (
            <Form method="post" action={list} preventScrollReset>
              <input type="hidden" name="intent" value="undo-trim" />
              <input type="hidden" name="id" value={video.id} />
              <Button variant="secondary" size="sm" busy={isUndoing} busyLabel="Undoing...">
                Undo the cut
              </Button>
            </Form>
          )}
        </section>
      )}
      {pending ? (
        <PendingFile video={video} file={pending} jobs={jobs} list={list} now={now} />
      ) : trim.url ? (
        <TrimForm
          key={`${trim.url} ${trim.cut && cutText(trim.cut)}`}
          videoId={video.id}
          trim={trim}
          rejected={error?.trim}
          list={list}
          address={address}
        />
      ) : (
        <p className="text-sm">
          There is no file of this video on this site that could be cut yet.
        </p>
      )}
    </Dialog>
  );
}

/**
 * Two moments of a video. With scripts the video stands beside them: buttons take over the moment that it
 * shows, and what is typed is shown. Without, moments are typed.
 */
function TrimForm({
  videoId,
  trim: { url, duration, frames, cut },
  rejected,
  list,
  address,
}: {
  videoId: string;
  trim: TrimView;
  rejected: FormFailure["trim"];
  /** Where Cancel leads. */
  list: string;
  /** The address of the dialog, to which the form is sent. */
  address: string;
}) {
  const player = useRef<HTMLVideoElement>(null);
  const stopAt = useRef<number>();
  const hydrated = useHydrated();
  const busy = useNavigation().formData?.get("intent") === "trim";
  const [typed, setTyped] = useState<TypedCut>(
    rejected?.typed ?? {
      start: cut ? exactPosition(cut.start) : "",
      end: cut ? exactPosition(cut.end) : "",
    },
  );
  const start = typed.start.trim() ? parsePosition(typed.start) : 0;
  const end = typed.end.trim() ? parsePosition(typed.end) : secondsOf(duration);
  const part = start !== undefined && end !== undefined && end > start ? { start, end } : undefined;

  function show(seconds: number | undefined) {
    stopAt.current = undefined;
    if (player.current && seconds !== undefined) player.current.currentTime = seconds;
  }

  function type(name: keyof TypedCut, text: string) {
    setTyped((before) => ({ ...before, [name]: text }));
    show(parsePosition(text));
  }

  function take(name: keyof TypedCut) {
    if (!player.current) return;
    const text = exactPosition(player.current.currentTime);
    setTyped((before) => ({ ...before, [name]: text }));
  }

  function playPart() {
    if (!player.current || !part) return;
    player.current.currentTime = part.start;
    stopAt.current = part.end;
    // A video that can't be played says so itself.
    player.current.play().catch(() => {});
  }

  return (
    <Form method="post" action={address} preventScrollReset className="flex flex-col gap-5">
      <input type="hidden" name="intent" value="trim" />
      <input type="hidden" name="id" value={videoId} />
      <video
        ref={player}
        src={url}
        aria-label="The whole video"
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
          legend="Go to one of these pictures"
          name="shown"
          onChoose={(moment) => show(parsePosition(moment))}
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
                    ? "minutes:seconds of the whole video; empty: its beginning"
                    : "empty: its end"
                }
                value={typed[name]}
                onChange={(event) => type(name, event.currentTarget.value)}
                error={rejected?.fields[name]}
              />
            </div>
            {hydrated && (
              <Button type="button" variant="secondary" size="sm" onClick={() => take(name)}>
                {name === "start" ? "Starts here" : "Ends here"}
              </Button>
            )}
          </div>
        ))}
      </div>
      {hydrated && (
        <p role="status" className="text-sm text-muted figures">
          {part
            ? `The video will be ${exactPosition(part.end - part.start)} long.`
            : "It has to end after its start."}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-3">
        {hydrated && (
          <Button type="button" variant="ghost" onClick={playPart} disabled={!part}>
            Play this part
          </Button>
        )}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button busy={busy} busyLabel="Looking at the video...">
          Cut the video
        </Button>
      </div>
    </Form>
  );
}
