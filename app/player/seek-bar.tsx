import { type PointerEvent, useEffect, useMemo, useRef } from "react";
import { SEEK_BAR_STEP_S } from "./constants";
import { usePlayer } from "./player-context";
import { createScrubber } from "./scrubber";
import { type PreviewHandle, SeekPreview } from "./seek-preview";
import { useStore } from "./store";
import { bufferedEnd, clampTime, formatTime } from "./times";
import { useMediaTime } from "./use-media-time";

/** Played, buffered and hovered time, and the slider. What moves is written without rendering. */
export function SeekBar() {
  const { root, element, playback, video } = usePlayer();
  const { duration } = useStore(playback);
  const bar = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const preview = useRef<PreviewHandle>(null);
  const scrubbing = useRef(false);
  const scrubber = useMemo(() => createScrubber(element), [element]);
  useEffect(() => scrubber.close, [scrubber]);

  const part = (seconds: number) => (duration > 0 ? Math.min(seconds / duration, 1) : 0);

  function paint(seconds: number) {
    const slider = input.current;
    const style = bar.current?.style;
    if (!slider || !style) return;
    style.setProperty("--played", String(part(seconds)));
    style.setProperty("--buffered", String(part(bufferedEnd(element.buffered, seconds))));
    if (!scrubbing.current) slider.value = String(seconds);
    slider.setAttribute("aria-valuetext", `${formatTime(seconds)} of ${formatTime(duration)}`);
  }

  useMediaTime(element, (seconds) => {
    if (!scrubbing.current) paint(seconds);
  });
  // Another length moves everything.
  useEffect(() => paint(element.currentTime), [duration]);

  function point(event: PointerEvent) {
    const box = bar.current?.getBoundingClientRect();
    if (!box || duration === 0) return;
    const at = clampTime(((event.clientX - box.left) / box.width) * duration, duration);
    bar.current?.style.setProperty("--hovered", String(part(at)));
    preview.current?.show(at, event.clientX - box.left, box.width);
  }

  function leave() {
    bar.current?.style.setProperty("--hovered", "0");
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
        <div className="player-seek-buffered" />
        <div className="player-seek-hovered" />
        <div className="player-seek-played" />
      </div>
      <div className="player-seek-rail" aria-hidden="true">
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
