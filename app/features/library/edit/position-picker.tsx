import { type RefObject, useRef, useState } from "react";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import { formatPosition, insertChapter, parsePosition } from "./positions";

/** The field with the position of the selected storyboard frame. */
const PICKED_FRAME = "pickedFrame";

/**
 * Lets the user choose a frame as the thumbnail. With JavaScript, buttons use the player's position for the thumbnail
 * or as the start of a chapter. Without JavaScript, the user types a position or selects a storyboard frame.
 */
export function PositionPicker({
  videoUrl,
  position,
  error,
  frames,
  form,
}: {
  videoUrl: string;
  /** The position entered in a rejected form. */
  position?: string;
  /** The reason why the position was rejected. */
  error?: string;
  /** The storyboard's frames; empty if the video has no storyboard. */
  frames: readonly StoryboardFrame[];
  /** The edit form, which also contains the description. */
  form: RefObject<HTMLFormElement>;
}) {
  const player = useRef<HTMLVideoElement>(null);
  const hydrated = useHydrated();
  const [status, setStatus] = useState("");

  const control = (name: string) => form.current?.elements.namedItem(name);

  function setThumbnail(position: string) {
    const frame = control("frame");
    if (!(frame instanceof HTMLInputElement)) return;
    frame.value = position;
    setStatus(`The frame at ${position} will be the thumbnail.`);
  }

  function pickThumbnail() {
    clearPicked();
    if (player.current) setThumbnail(formatPosition(player.current.currentTime));
  }

  function pickFrame(position: string) {
    setThumbnail(position);
    // Also seeks to the position, so that a chapter can be added there.
    if (player.current) player.current.currentTime = parsePosition(position) ?? 0;
  }

  /** A typed position takes precedence over a selected frame, and an empty field means that no frame is used. */
  function clearPicked() {
    const picked = control(PICKED_FRAME);
    const radios = picked instanceof RadioNodeList ? [...picked] : [picked];
    for (const radio of radios) if (radio instanceof HTMLInputElement) radio.checked = false;
  }

  function addChapter() {
    const description = control("description");
    if (!player.current || !(description instanceof HTMLTextAreaElement)) return;
    const { text, from, to } = insertChapter(description.value, player.current.currentTime);
    description.value = text;
    description.focus();
    description.setSelectionRange(from, to);
    setStatus("Chapter added to the description. Type its name there.");
  }

  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line p-4">
      <Field
        label="Use the frame at"
        name="frame"
        defaultValue={position}
        error={error}
        placeholder="1:30"
        hint="m:ss. An uploaded image takes precedence."
        onChange={clearPicked}
      />
      <details>
        <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
          Choose a frame
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
                Use current frame
              </Button>
              <Button type="button" variant="secondary" size="sm" onClick={addChapter}>
                Add chapter here
              </Button>
            </div>
          ) : (
            <p className="text-sm text-muted">
              To add chapters, write lines such as “1:30 The bridge” in the description. There must
              be at least three, the first at 0:00.
            </p>
          )}
          <StoryboardGrid
            frames={frames}
            legend="Or pick a frame"
            name={PICKED_FRAME}
            onChoose={pickFrame}
          />
          <p role="status" className="text-sm text-muted">
            {status}
          </p>
        </div>
      </details>
    </div>
  );
}

/**
 * The frames of a storyboard as a group of radio buttons. Arrow keys move between them, and each is labeled with its
 * position. Without JavaScript, the selected frame is sent with the form.
 */
export function StoryboardGrid({
  frames,
  legend,
  name,
  onChoose,
}: {
  frames: readonly StoryboardFrame[];
  legend: string;
  /** The name of the radio buttons. Their value is the frame's position. */
  name: string;
  onChoose(position: string): void;
}) {
  if (frames.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="grid max-h-80 grid-cols-[repeat(auto-fill,minmax(min(6rem,100%),1fr))] gap-2 overflow-y-auto p-1">
        {frames.map((frame) => {
          // The frame was taken from the middle of its interval.
          const position = formatPosition((frame.start + frame.end) / 2);
          return (
            <label
              key={`${frame.start} ${frame.sheet} ${frame.x} ${frame.y}`}
              className="relative block cursor-pointer overflow-hidden rounded-md border-2 border-transparent has-checked:border-accent has-focus-visible:focused"
            >
              <input
                type="radio"
                name={name}
                value={position}
                onChange={() => onChoose(position)}
                className="sr-only"
              />
              <Tile frame={frame} />
              <span className="block text-center text-sm text-muted figures">{position}</span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** A tile of the sprite sheet, as wide as the available space allows. */
function Tile({ frame: { sheet, x, y, width, height } }: { frame: StoryboardFrame }) {
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
