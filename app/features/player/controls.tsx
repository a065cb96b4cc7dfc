import { Play, Settings } from "lucide-react";
import { useEffect, useRef, useState } from "react";
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
  TheaterButton,
  useVolumeSettable,
  VolumeControl,
} from "./buttons";
import { useHold, useSwipes, useTaps } from "./gestures";
import { useKeys } from "./keys";
import { formatTime, useMediaTime, writeText } from "./media-time";
import { FeedbackLayer, NextCard, ProblemNotice, ResumePrompt, Spinner } from "./notices";
import { usePlayer } from "./player-context";
import type { Recovery } from "./recovery";
import { SeekBar } from "./seek-bar";
import { SettingsMenu } from "./settings-menu";
import { ShortcutList } from "./shortcut-list";
import { useControlsInUse, useControlsVisible, useFocusReturn } from "./visibility";

type Panel = "settings" | "shortcuts";

/** Everything that is shown on top of the video, including the handling of keys and gestures. */
export function Controls({
  recovery,
  openNext,
}: {
  recovery: Recovery | undefined;
  openNext: (() => void) | undefined;
}) {
  const parts = usePlayer();
  const { root, element, video, playback, commands, feedback, fullscreen, captions } = parts;
  const paused = useStored(playback, "paused");
  const ended = useStored(playback, "ended");
  const started = useStored(playback, "started");
  const loop = useStored(playback, "loop");
  const [bar, setBar] = useState<HTMLDivElement | null>(null);
  const [panel, setPanel] = useState<Panel>();
  const settingsButton = useRef<HTMLButtonElement>(null);
  const openedByButton = useRef(false);
  const returnFocus = useFocusReturn();
  const volumeSettable = useVolumeSettable();
  const inUse = useControlsInUse(root, bar) || panel !== undefined;
  const { visible, wake } = useControlsVisible(root, bar, paused, inUse);
  const next = useNextCard(video.id, ended && !loop);

  /** Closes the panel and returns the focus to the element that opened it (WAI-ARIA menu button pattern). */
  function close() {
    setPanel(undefined);
    if (!root.contains(document.activeElement)) return;
    returnFocus(openedByButton.current ? settingsButton.current : root);
  }
  function toggle(wanted: Panel) {
    if (panel === wanted) return close();
    // The shortcut list can also be opened from the menu, and from anywhere with its keyboard shortcut.
    openedByButton.current = wanted === "settings" || panel === "settings";
    setPanel(wanted);
  }

  const wasHeld = useHold(element, commands);
  useTaps(element, commands, playback, {
    intercept: () => {
      if (panel) close();
      return panel !== undefined || wasHeld();
    },
    touchesHidden: (y) => !visible && bar !== null && y >= bar.getBoundingClientRect().top,
    wake,
  });
  useSwipes(root, element, commands, feedback, volumeSettable);
  useKeys({
    ...parts,
    toggleFullscreen: fullscreen.toggle,
    toggleCaptions: () => {
      if (captions.tracks.length === 0) return;
      captions.toggle();
      feedback.note("captions", captions.chosen < 0 ? "Captions on" : "Captions off");
    },
    toggleShortcuts: () => toggle("shortcuts"),
    wake,
  });
  useEffect(() => {
    root.toggleAttribute("data-idle", !visible);
  }, [root, visible]);

  return (
    <>
      {recovery ? <Spinner recovery={recovery} /> : null}
      {next.shown && video.next && openNext ? (
        <NextCard next={video.next} onOpen={openNext} onCancel={next.cancel} />
      ) : null}
      {recovery ? <ProblemNotice recovery={recovery} /> : null}
      <div className="player-chrome">
        <div className="player-title">{video.title}</div>
        <div ref={setBar} className="player-bar">
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
              menuOpen={panel === "settings"}
              onPress={() => toggle("settings")}
            >
              <Settings />
            </ControlButton>
            <PictureInPictureButton />
            <TheaterButton />
            <OrientationButton />
            <FullscreenButton />
          </div>
        </div>
        {started ? null : (
          <div className="player-middle player-begin" aria-hidden="true">
            <Play className="player-solid" />
          </div>
        )}
      </div>
      <CaptionText textTrack={captions.textTrack} />
      <FeedbackLayer />
      <ResumePrompt />
      {panel === "settings" ? (
        <SettingsMenu onClose={close} onShortcuts={() => toggle("shortcuts")} />
      ) : null}
      {panel === "shortcuts" ? <ShortcutList onClose={close} /> : null}
    </>
  );
}

/** Shows the next video's card at the end. Once canceled, it is only shown again after the video has ended again. */
function useNextCard(id: string, atEnd: boolean) {
  const [canceled, setCanceled] = useState(false);
  const lastId = useRef(id);
  if (canceled && (!atEnd || lastId.current !== id)) setCanceled(false);
  lastId.current = id;
  return { shown: atEnd && !canceled, cancel: () => setCanceled(true) };
}

/**
 * The active cues. The player renders them itself, so that they can move above the controls and the seek preview while
 * these are being shown.
 */
function CaptionText({ textTrack }: { textTrack: TextTrack | undefined }) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!textTrack) return;
    const draw = () => {
      const lines = Array.from(textTrack.activeCues ?? [], (cue) => {
        const line = document.createElement("p");
        // The browser parses the cue, so the file can't inject any other markup.
        line.append((cue as VTTCue).getCueAsHTML());
        return line;
      });
      box.current?.replaceChildren(...lines);
    };
    draw();
    textTrack.addEventListener("cuechange", draw);
    return () => {
      textTrack.removeEventListener("cuechange", draw);
      box.current?.replaceChildren();
    };
  }, [textTrack]);

  return (
    <div className="player-captions">
      <div ref={box} />
    </div>
  );
}

/** The elapsed time, total time and chapter. Updates are written to the DOM without a React render. */
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
