import { Settings } from "lucide-react";
import { forwardRef, type RefObject, useRef } from "react";
import { chapterAt } from "~/shared/timestamps";
import { useStored } from "~/ui/store";
import {
  CaptionsButton,
  ControlButton,
  FullscreenButton,
  NextButton,
  OrientationButton,
  PictureInPictureButton,
  PlayButton,
  StepButtons,
  TheatreButton,
  VolumeControl,
} from "./buttons";
import { formatTime, useMediaTime, writeText } from "./media-time";
import { usePlayer } from "./player-context";
import { SeekBar } from "./seek-bar";

interface BarProps {
  volumeSettable: boolean;
  settingsButton: RefObject<HTMLButtonElement>;
  settingsOpen: boolean;
  toggleSettings(): void;
  openNext: (() => void) | undefined;
}

/** The row of controls at the bottom. */
export const Bar = forwardRef<HTMLDivElement, BarProps>(function Bar(
  { volumeSettable, settingsButton, settingsOpen, toggleSettings, openNext },
  ref,
) {
  return (
    <div ref={ref} className="player-bar">
      <SeekBar />
      <div className="player-buttons">
        <PlayButton />
        <StepButtons />
        <NextButton openNext={openNext} />
        <VolumeControl settable={volumeSettable} />
        <TimeDisplay />
        <span className="player-space" />
        <CaptionsButton />
        <ControlButton
          ref={settingsButton}
          label="Settings"
          menuOpen={settingsOpen}
          onPress={toggleSettings}
        >
          <Settings />
        </ControlButton>
        <PictureInPictureButton />
        <TheatreButton />
        <OrientationButton />
        <FullscreenButton />
      </div>
    </div>
  );
});

/** Elapsed and total time, and the chapter. What changes is written without rendering. */
function TimeDisplay() {
  const { element, playback, video } = usePlayer();
  const duration = useStored(playback, "duration");
  const elapsed = useRef<HTMLSpanElement>(null);
  const chapter = useRef<HTMLSpanElement>(null);
  useMediaTime(element, (seconds) => {
    if (elapsed.current) writeText(elapsed.current, formatTime(seconds));
    if (chapter.current) {
      writeText(chapter.current, chapterAt(video.chapters ?? [], seconds)?.name ?? "");
    }
  });
  return (
    <div className="player-time">
      <span className="sr-only">Elapsed </span>
      <span ref={elapsed} data-elapsed />
      <span aria-hidden="true"> / </span>
      <span className="sr-only"> of </span>
      <span data-total>{formatTime(duration || (video.durationSeconds ?? 0))}</span>
      {video.chapters?.length ? <span ref={chapter} dir="auto" className="player-chapter" /> : null}
    </div>
  );
}
