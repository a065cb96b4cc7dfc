import { forwardRef, useImperativeHandle, useRef } from "react";
import type { StoryboardFrame } from "./storyboard";
import { formatTime } from "./times";
import { useStoryboard } from "./use-storyboard";

export interface PreviewHandle {
  load(): void;
  /** `x` and `width` in pixels of the bar. */
  show(seconds: number, x: number, width: number): void;
  hide(): void;
}

/** The time above the pointer, with the picture of that moment when there is a storyboard. */
export const SeekPreview = forwardRef<PreviewHandle, { storyboardUrl?: string }>(
  function SeekPreview({ storyboardUrl }, ref) {
    const bubble = useRef<HTMLDivElement>(null);
    const picture = useRef<HTMLDivElement>(null);
    const time = useRef<HTMLSpanElement>(null);
    const { load, frame } = useStoryboard(storyboardUrl);

    useImperativeHandle(
      ref,
      () => ({
        load,
        show(seconds, x, width) {
          const box = bubble.current;
          if (!box || !picture.current || !time.current) return;
          void load();
          draw(picture.current, frame(seconds));
          time.current.textContent = formatTime(seconds);
          const half = box.offsetWidth / 2;
          const middle = Math.min(Math.max(x, half), Math.max(width - half, half));
          box.style.transform = `translateX(${Math.round(middle - half)}px)`;
          box.dataset.shown = "";
        },
        hide() {
          delete bubble.current?.dataset.shown;
        },
      }),
      [load, frame],
    );

    return (
      <div ref={bubble} className="player-preview" aria-hidden="true">
        <div ref={picture} className="player-storyboard" hidden />
        <span ref={time} />
      </div>
    );
  },
);

function draw(picture: HTMLElement, frame: StoryboardFrame | undefined): void {
  picture.hidden = frame === undefined;
  if (!frame) return;
  picture.style.width = `${frame.width}px`;
  picture.style.height = `${frame.height}px`;
  picture.style.backgroundImage = `url(${JSON.stringify(frame.sheet)})`;
  picture.style.backgroundPosition = `-${frame.x}px -${frame.y}px`;
}
