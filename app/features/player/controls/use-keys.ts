import { useLayoutEffect, useRef } from "react";
import type { Commands } from "../commands";
import { REPEATED_KEY_SEEK_MS } from "../constants";
import type { FeedbackBoard } from "../overlays/feedback";
import type { PlaybackState } from "../playback-state";
import { FOCUSED_BY_POINTER } from "../settings/focus";
import type { Source } from "../source/source";
import { belongsElsewhere, type KeyCommand, keyCommand } from "./keys";

export interface KeyActions {
  root: HTMLElement;
  playback: PlaybackState;
  commands: Commands;
  feedback: FeedbackBoard;
  source: Source;
  toggleFullscreen(): void;
  toggleTheatre(): void;
  toggleCaptions(): void;
  toggleShortcuts(): void;
  wake(): void;
}

/** The keys (specification, section 2) wherever the focus is, unless it is in something that types. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;

  // Not after the controls are on screen: whoever sees them may press a key at once.
  useLayoutEffect(() => {
    let repeatedSeekAt = 0;
    const onKey = (event: KeyboardEvent) => {
      const actions = latest.current;
      if (event.defaultPrevented) return;
      const target = keyTarget(event, actions.root);
      if (belongsElsewhere(event.key, target, actions.root)) return;
      const command = keyCommand(event);
      if (!command) {
        // A repeating key whose command doesn't repeat must not scroll the page instead.
        if (event.repeat && keyCommand({ ...pressOf(event), repeat: false }))
          event.preventDefault();
        return;
      }
      event.preventDefault();
      // Firefox presses a button when the space bar is let go, whatever became of its keydown.
      if (event.key === " ") window.addEventListener("keyup", preventDefault, { once: true });
      if (event.repeat && (command.do === "seek" || command.do === "frame")) {
        if (event.timeStamp - repeatedSeekAt < REPEATED_KEY_SEEK_MS) return;
        repeatedSeekAt = event.timeStamp;
      }
      carryOut(command, actions);
    };
    // On the window: whoever handles a key on its way there can keep it with preventDefault.
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/**
 * What the key is meant for. Whoever closed a menu with the mouse doesn't mean the button that got
 * the focus back by the next space bar.
 */
function keyTarget({ target }: KeyboardEvent, root: HTMLElement): Element {
  if (!(target instanceof Element)) return document.body;
  return target.hasAttribute(FOCUSED_BY_POINTER) ? root : target;
}

function preventDefault(event: Event): void {
  event.preventDefault();
}

function pressOf({ key, ctrlKey, metaKey, altKey, shiftKey, repeat }: KeyboardEvent) {
  return { key, ctrlKey, metaKey, altKey, shiftKey, repeat };
}

function carryOut(command: KeyCommand, actions: KeyActions): void {
  const { commands, feedback, playback } = actions;
  switch (command.do) {
    case "play": {
      const playing = playback.get().paused;
      commands.togglePlay();
      feedback.note(playing ? "play" : "pause", playing ? "Play" : "Pause");
      return;
    }
    case "mute":
      commands.toggleMute();
      feedback.level("volume", commands.volume());
      return;
    case "seek":
      commands.seekBy(command.by);
      actions.wake();
      return;
    case "jump":
      commands.seekToFraction(command.fraction);
      actions.wake();
      return;
    case "volume":
      commands.changeVolume(command.by);
      return;
    case "speed":
      commands.stepSpeed(command.step);
      return;
    case "frame":
      commands.stepFrame(command.step, actions.source.state.get().frameRate);
      actions.wake();
      return;
    case "fullscreen":
      actions.toggleFullscreen();
      return;
    case "captions":
      actions.toggleCaptions();
      return;
    case "theatre":
      actions.toggleTheatre();
      return;
    case "shortcuts":
      actions.toggleShortcuts();
  }
}
