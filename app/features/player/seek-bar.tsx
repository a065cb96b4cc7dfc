import { type PointerEvent, type RefObject, useEffect, useMemo, useRef } from "react";
import { frameAt, parseStoryboard, type StoryboardFrame } from "~/shared/streams/storyboard";
import { chapterAt } from "~/shared/timestamps";
import { useStored } from "~/ui/store";
import { SEEK_BAR_STEP_S } from "./constants";
import { bufferedEnd, clampTime, formatTime, useMediaTime, writeText } from "./media-time";
import { playbackPosition } from "./playback-state";
import { usePlayer } from "./player-context";

/** The played, buffered and hovered time, and the slider. Movement is written to the DOM without a React render. */
export function SeekBar() {
  const { root, element, playback, video } = usePlayer();
  const duration = useStored(playback, "duration");
  const bar = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const played = useRef<HTMLDivElement>(null);
  const buffered = useRef<HTMLDivElement>(null);
  const hovered = useRef<HTMLDivElement>(null);
  const rail = useRef<HTMLDivElement>(null);
  const preview = usePreview();
  const scrubbing = useRef(false);
  const scrubber = useMemo(() => createScrubber(element), [element]);
  useEffect(() => scrubber.close, [scrubber]);

  const fraction = (seconds: number) => (duration > 0 ? Math.min(seconds / duration, 1) : 0);

  function paint(seconds: number) {
    const slider = input.current;
    if (!slider) return;
    stretch(played, fraction(seconds));
    stretch(buffered, fraction(bufferedEnd(element.buffered, seconds)));
    if (rail.current) rail.current.style.transform = `translateX(${fraction(seconds) * 100}%)`;
    if (!scrubbing.current) slider.value = String(seconds);
    slider.setAttribute("aria-valuetext", `${formatTime(seconds)} of ${formatTime(duration)}`);
  }

  useMediaTime(element, (seconds) => {
    if (!scrubbing.current) paint(seconds);
  });
  // When the duration changes, everything on the bar moves.
  useEffect(() => paint(playbackPosition(element).seconds), [duration]);

  function point(event: PointerEvent) {
    const box = bar.current?.getBoundingClientRect();
    if (!box || duration === 0) return;
    const at = clampTime(((event.clientX - box.left) / box.width) * duration, duration);
    stretch(hovered, fraction(at));
    preview.show(at, event.clientX - box.left, box.width);
  }

  function leave() {
    stretch(hovered, 0);
    if (!scrubbing.current) preview.hide();
  }

  function release() {
    if (scrubbing.current && input.current) {
      scrubbing.current = false;
      scrubber.finish(input.current.valueAsNumber);
    }
    preview.hide();
    root.focus({ preventScroll: true });
  }

  return (
    <div
      ref={bar}
      className="player-seek"
      onPointerEnter={() => preview.load()}
      onPointerMove={point}
      onPointerLeave={leave}
    >
      <div className="player-seek-track" aria-hidden="true">
        <div ref={buffered} className="player-seek-buffered" />
        <div ref={hovered} className="player-seek-hovered" />
        <div ref={played} className="player-seek-played" />
        {video.chapters?.map(({ start }) =>
          fraction(start) > 0 && fraction(start) < 1 ? (
            <span key={start} style={{ left: `${fraction(start) * 100}%` }} />
          ) : null,
        )}
      </div>
      <div ref={rail} className="player-seek-rail" aria-hidden="true">
        <div className="player-seek-thumb" />
      </div>
      <input
        ref={input}
        type="range"
        data-seek-bar
        aria-label="Seek"
        min={0}
        max={duration || 1}
        step={SEEK_BAR_STEP_S}
        defaultValue={0}
        disabled={duration === 0}
        onPointerDown={() => {
          scrubbing.current = true;
        }}
        onPointerUp={release}
        onPointerCancel={release}
        onChange={(event) => {
          const seconds = event.currentTarget.valueAsNumber;
          scrubber.to(seconds);
          paint(seconds);
        }}
      />
      {preview.element}
    </div>
  );
}

/** Scales a stripe, which has its own layer, so that nothing else needs to be restyled or repainted. */
function stretch(stripe: RefObject<HTMLElement>, fraction: number): void {
  if (stripe.current) stripe.current.style.transform = `scaleX(${fraction})`;
}

/**
 * Returns a scrubber that seeks to the pointer, one seek at a time: if a slow phone received a new target for every
 * pointer move, it wouldn't show any of the frames. The latest target is applied when the previous seek is done.
 */
function createScrubber(element: HTMLVideoElement) {
  let target: number | undefined;
  const onSeeked = () => {
    if (target === undefined) return;
    element.currentTime = target;
    target = undefined;
  };
  element.addEventListener("seeked", onSeeked);
  return {
    to(seconds: number) {
      if (element.seeking) target = seconds;
      else element.currentTime = seconds;
    },
    /** Seeks to the final position when the pointer is released, and discards any earlier target. */
    finish(seconds: number) {
      target = undefined;
      element.currentTime = seconds;
    },
    close() {
      element.removeEventListener("seeked", onSeeked);
    },
  };
}

/** The width of the bubble without a thumbnail, in pixels: enough for "10:00:00" or a chapter's name. */
const BARE_WIDTH = 80;
const CHAPTER_WIDTH = 176;
/** The total width of the thumbnail's left and right borders, and likewise of its top and bottom borders. */
const BORDERS = 4;

/** Returns the preview shown above the pointer: the time and, if there is a storyboard, its thumbnail. */
function usePreview() {
  const { root, video } = usePlayer();
  const { chapters } = video;
  const bubble = useRef<HTMLDivElement>(null);
  const thumbnail = useRef<HTMLDivElement>(null);
  const chapter = useRef<HTMLSpanElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  const storyboard = useStoryboard(video.storyboardUrl);
  const drawn = useRef<StoryboardFrame | "nothing" | undefined>("nothing");
  const last = useRef<[seconds: number, x: number, width: number]>();

  /** Loads the storyboard, and adds the thumbnail to a bubble that is already being shown. */
  async function load() {
    await storyboard.load();
    // The pointer may have stopped moving before the storyboard was loaded.
    const isShown = bubble.current?.dataset.shown !== undefined;
    if (isShown && last.current) show(...last.current);
  }

  /** Shows the preview. `x` is the position on the bar; both `x` and `barWidth` are in pixels. */
  function show(seconds: number, x: number, barWidth: number) {
    const box = bubble.current;
    if (!box || !thumbnail.current || !chapter.current || !time.current) return;
    void storyboard.load();
    last.current = [seconds, x, barWidth];
    const image = storyboard.frame(seconds);
    const bareWidth = chapters?.length ? CHAPTER_WIDTH : BARE_WIDTH;
    const width = Math.max(image ? image.width + BORDERS : 0, bareWidth);
    if (image !== drawn.current) {
      draw(root, box, thumbnail.current, image, width, Boolean(chapters?.length));
    }
    drawn.current = image;
    writeText(chapter.current, chapterAt(chapters ?? [], seconds)?.name ?? "");
    writeText(time.current, formatTime(seconds));
    // The width is set rather than measured, because measuring would force a layout.
    const half = width / 2;
    const middle = Math.min(Math.max(x, half), Math.max(barWidth - half, half));
    box.style.transform = `translateX(${Math.round(middle - half)}px)`;
    box.dataset.shown = "";
    // Makes the captions leave room for the preview.
    root.dataset.preview = image ? "thumbnail" : "time";
  }

  function hide() {
    delete bubble.current?.dataset.shown;
    delete root.dataset.preview;
  }

  const element = (
    <div ref={bubble} className="player-preview" aria-hidden="true">
      <div ref={thumbnail} className="player-storyboard" hidden />
      <span ref={chapter} dir="auto" className="player-preview-chapter" />
      <span ref={time} />
    </div>
  );
  return { element, load, show, hide };
}

function draw(
  root: HTMLElement,
  box: HTMLElement,
  thumbnail: HTMLElement,
  frame: StoryboardFrame | undefined,
  width: number,
  hasChapters: boolean,
): void {
  // The height of the text below the thumbnail, and of the gaps around it.
  const texts = hasChapters ? "3.625rem" : "2rem";
  const bare = hasChapters ? texts : "";
  const height = frame ? `calc(${frame.height + BORDERS}px + ${texts})` : bare;
  thumbnail.hidden = frame === undefined;
  box.style.width = `${width}px`;
  box.style.height = height;
  root.style.setProperty("--preview-height", height);
  if (!frame) return;
  thumbnail.style.width = `${frame.width}px`;
  thumbnail.style.height = `${frame.height}px`;
  thumbnail.style.backgroundImage = `url(${JSON.stringify(frame.sheet)})`;
  thumbnail.style.backgroundPosition = `-${frame.x}px -${frame.y}px`;
}

/**
 * Returns the thumbnail for a position. The storyboard is loaded on first use; if that fails, there is no thumbnail.
 */
function useStoryboard(url: string | undefined) {
  const loaded = useRef<{ url: string; frames: StoryboardFrame[] }>();

  async function load() {
    if (!url || loaded.current?.url === url) return;
    const own = { url, frames: [] as StoryboardFrame[] };
    loaded.current = own;
    try {
      const response = await fetch(url);
      if (response.ok) own.frames = parseStoryboard(await response.text(), response.url);
    } catch {
      // Without the storyboard, the bubble only shows the time.
    }
  }

  function frame(seconds: number) {
    const { current } = loaded;
    return current && current.url === url ? frameAt(current.frames, seconds) : undefined;
  }
  return { load, frame };
}
