import type { StoryboardFrame } from "~/shared/streams/storyboard";
import { momentText } from "./moments";

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
          const moment = momentText(middleOf(frame));
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

/** The picture of a part of the film was taken in its middle. */
function middleOf({ start, end }: StoryboardFrame): number {
  return (start + end) / 2;
}
