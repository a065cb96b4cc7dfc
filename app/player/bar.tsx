import { Settings } from "lucide-react";
import { forwardRef, type RefObject } from "react";
import { ControlButton } from "./control-button";
import { FullscreenButton, OrientationButton } from "./fullscreen-button";
import { PlayButton } from "./play-button";
import { SeekBar } from "./seek-bar";
import { StepButtons } from "./step-buttons";
import { TimeDisplay } from "./time-display";
import { CaptionsButton, NextButton, PictureInPictureButton, TheatreButton } from "./view-buttons";
import { VolumeControl } from "./volume-control";

export interface BarProps {
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
