import { type RefObject, useRef, useState } from "react";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import { parsePosition, positionText, withChapter } from "./positions";

/** The moment of the picture of the storyboard that was chosen. */
const PICKED_FRAME = "pickedFrame";

/**
 * The video beside the form that edits it. With scripts a button takes over the moment that is shown: for
 * the thumbnail, or as the beginning of a chapter. Without, moments are typed, or a picture of the storyboard
 * is chosen.
 */
export function PositionPicker({
  videoUrl,
  moment,
  error,
  frames,
  form,
}: {
  videoUrl: string;
  /** What was typed into a form that was refused. */
  moment?: string;
  /** What is wrong with it. */
  error?: string;
  /** The pictures of its storyboard, none while it has none. */
  frames: readonly StoryboardFrame[];
  /** Has the description, too. */
  form: RefObject<HTMLFormElement>;
}) {
  const player = useRef<HTMLVideoElement>(null);
  const hydrated = useHydrated();
  const [said, setSaid] = useState("");

  const control = (name: string) => form.current?.elements.namedItem(name);

  function setThumbnail(moment: string) {
    const frame = control("frame");
    if (!(frame instanceof HTMLInputElement)) return;
    frame.value = moment;
    setSaid(`The thumbnail will be the picture at ${moment}.`);
  }

  function pickThumbnail() {
    forgetPicked();
    if (player.current) setThumbnail(positionText(player.current.currentTime));
  }

  function pickFrame(moment: string) {
    setThumbnail(moment);
    // So that a chapter can begin there too.
    if (player.current) player.current.currentTime = parsePosition(moment) ?? 0;
  }

  /** What is typed goes before a picture, and an empty field means no moment at all. */
  function forgetPicked() {
    const picked = control(PICKED_FRAME);
    const radios = picked instanceof RadioNodeList ? [...picked] : [picked];
    for (const radio of radios) if (radio instanceof HTMLInputElement) radio.checked = false;
  }

  function addChapter() {
    const description = control("description");
    if (!player.current || !(description instanceof HTMLTextAreaElement)) return;
    const { text, from, to } = withChapter(description.value, player.current.currentTime);
    description.value = text;
    description.focus();
    description.setSelectionRange(from, to);
    setSaid("The chapter is in the description: write its name there.");
  }

  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line p-4">
      <Field
        label="Thumbnail from the video, at"
        name="frame"
        defaultValue={moment}
        error={error}
        placeholder="1:30"
        hint="minutes:seconds of the video; a picture file goes before it"
        onChange={forgetPicked}
      />
      <details>
        <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
          Find a moment in the video
        </summary>
        <div className="flex flex-col gap-3 pt-1">
          <video
            ref={player}
            src={videoUrl}
            controls
            muted
            playsInline
            preload="none"
            className="aspect-video w-full rounded-md bg-raised"
          />
          {hydrated ? (
            <div className="flex flex-wrap gap-3">
              <Button type="button" variant="secondary" size="sm" onClick={pickThumbnail}>
                Thumbnail from this moment
              </Button>
              <Button type="button" variant="secondary" size="sm" onClick={addChapter}>
                Chapter at this moment
              </Button>
            </div>
          ) : (
            <p className="text-sm text-muted">
              A line such as “1:30 The bridge” in the description begins a chapter; there have to be
              three, the first at 0:00.
            </p>
          )}
          <StoryboardGrid
            frames={frames}
            legend="Or the thumbnail from one of these pictures"
            name={PICKED_FRAME}
            onChoose={pickFrame}
          />
          <p role="status" className="text-sm text-muted">
            {said}
          </p>
        </div>
      </details>
    </div>
  );
}

/**
 * The pictures of a storyboard as one group of radio buttons: the arrow keys go from one to the next,
 * and each has its time as its name. Without scripts the chosen one is sent with the form.
 */
export function StoryboardGrid({
  frames,
  legend,
  name,
  onChoose,
}: {
  frames: readonly StoryboardFrame[];
  legend: string;
  /** The field whose value is the moment of the chosen picture. */
  name: string;
  onChoose(moment: string): void;
}) {
  if (frames.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="grid max-h-80 grid-cols-[repeat(auto-fill,minmax(min(6rem,100%),1fr))] gap-2 overflow-y-auto p-1">
        {frames.map((frame) => {
          // It was taken in the middle of its part of the video.
          const moment = positionText((frame.start + frame.end) / 2);
          return (
            <label
              key={`${frame.start} ${frame.sheet} ${frame.x} ${frame.y}`}
              className="relative block cursor-pointer overflow-hidden rounded-md border-2 border-transparent has-checked:border-accent has-focus-visible:focused"
            >
              <input
                type="radio"
                name={name}
                value={moment}
                onChange={() => onChoose(moment)}
                className="sr-only"
              />
              <Picture frame={frame} />
              <span className="block text-center text-sm text-muted figures">{moment}</span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** A part of a sprite, as wide as there is room. */
function Picture({ frame: { sheet, x, y, width, height } }: { frame: StoryboardFrame }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`${x} ${y} ${width} ${height}`}
      className="aspect-video w-full bg-raised"
    >
      <image href={sheet} />
    </svg>
  );
}
