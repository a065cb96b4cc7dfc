import { type PointerEvent, type RefObject, useEffect, useMemo, useRef } from "react";
import { SEEK_BAR_STEP_S } from "../constants";
import { bufferedEnd, clampTime, formatTime, useMediaTime } from "../media-time";
import { usePlayer } from "../player-context";
import { playbackPosition } from "../source/playback-position";
import { useStored } from "../store";
import { type PreviewHandle, SeekPreview } from "./seek-preview";

/** Played, buffered and hovered time, and the slider. What moves is written without rendering. */
export function SeekBar() {
  const { root, element, playback, video } = usePlayer();
  const duration = useStored(playback, "duration");
  const bar = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const played = useRef<HTMLDivElement>(null);
  const buffered = useRef<HTMLDivElement>(null);
  const hovered = useRef<HTMLDivElement>(null);
  const rail = useRef<HTMLDivElement>(null);
  const preview = useRef<PreviewHandle>(null);
  const scrubbing = useRef(false);
  const scrubber = useMemo(() => createScrubber(element), [element]);
  useEffect(() => scrubber.close, [scrubber]);

  const part = (seconds: number) => (duration > 0 ? Math.min(seconds / duration, 1) : 0);

  function paint(seconds: number) {
    const slider = input.current;
    if (!slider) return;
    stretch(played, part(seconds));
    stretch(buffered, part(bufferedEnd(element.buffered, seconds)));
    if (rail.current) rail.current.style.transform = `translateX(${part(seconds) * 100}%)`;
    if (!scrubbing.current) slider.value = String(seconds);
    slider.setAttribute("aria-valuetext", `${formatTime(seconds)} of ${formatTime(duration)}`);
  }

  useMediaTime(element, (seconds) => {
    if (!scrubbing.current) paint(seconds);
  });
  // Another length moves everything.
  useEffect(() => paint(playbackPosition(element).seconds), [duration]);

  function point(event: PointerEvent) {
    const box = bar.current?.getBoundingClientRect();
    if (!box || duration === 0) return;
    const at = clampTime(((event.clientX - box.left) / box.width) * duration, duration);
    stretch(hovered, part(at));
    preview.current?.show(at, event.clientX - box.left, box.width);
  }

  function leave() {
    stretch(hovered, 0);
    if (!scrubbing.current) preview.current?.hide();
  }

  function release() {
    if (scrubbing.current && input.current) {
      scrubbing.current = false;
      scrubber.finish(input.current.valueAsNumber);
    }
    preview.current?.hide();
    root.focus({ preventScroll: true });
  }

  return (
    <div
      ref={bar}
      className="player-seek"
      onPointerEnter={() => preview.current?.load()}
      onPointerMove={point}
      onPointerLeave={leave}
    >
      <div className="player-seek-track" aria-hidden="true">
        <div ref={buffered} className="player-seek-buffered" />
        <div ref={hovered} className="player-seek-hovered" />
        <div ref={played} className="player-seek-played" />
        {video.chapters?.map(({ start }) =>
          part(start) > 0 && part(start) < 1 ? (
            <span key={start} style={{ left: `${part(start) * 100}%` }} />
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
      <SeekPreview ref={preview} storyboardUrl={video.storyboardUrl} />
    </div>
  );
}

/** Moves alone, each on a layer of its own: neither styles nor pictures of anything else follow. */
function stretch(stripe: RefObject<HTMLElement>, part: number): void {
  if (stripe.current) stripe.current.style.transform = `scaleX(${part})`;
}

/**
 * Moves a video to where the pointer is, one seek at a time: a slow phone that gets a new target for
 * every pointer move shows none of them. The latest target is carried out when the last one is done.
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
    /** The pointer is lifted: this position and no earlier target. */
    finish(seconds: number) {
      target = undefined;
      element.currentTime = seconds;
    },
    close() {
      element.removeEventListener("seeked", onSeeked);
    },
  };
}
