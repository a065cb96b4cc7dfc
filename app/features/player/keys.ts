import { useLayoutEffect, useRef } from "react";
import { REPEATED_KEY_SEEK_MS, SEEK_STEP_S, VOLUME_STEP } from "./constants";
import type { PlayerParts } from "./player-context";
import { FOCUSED_BY_POINTER } from "./visibility";

interface KeyActions
  extends Pick<PlayerParts, "root" | "playback" | "commands" | "feedback" | "source"> {
  toggleFullscreen(): void;
  toggleTheater(): void;
  toggleCaptions(): void;
  toggleShortcuts(): void;
  wake(): void;
}

/** Handles the keyboard shortcuts (specification, section 2) no matter where the focus is, except in text fields. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;

  // A layout effect is used, because visitors may press a key as soon as they see the controls.
  useLayoutEffect(() => {
    let repeatedSeekAt = 0;
    const onKey = (event: KeyboardEvent) => {
      const actions = latest.current;
      if (event.defaultPrevented) return;
      const target = keyTarget(event, actions.root);
      if (belongsElsewhere(event.key, target, actions.root)) return;
      const command = keyCommand(event);
      if (!command) return;
      // The default action is also prevented for a repeated key whose command doesn't repeat, because the key would
      // otherwise scroll the page.
      event.preventDefault();
      if (event.repeat && !MAY_REPEAT.has(command.do)) return;
      // Firefox activates a focused button on keyup, even if keydown was prevented.
      if (event.key === " ") window.addEventListener("keyup", preventDefault, { once: true });
      if (event.repeat && (command.do === "seek" || command.do === "frame")) {
        if (event.timeStamp - repeatedSeekAt < REPEATED_KEY_SEEK_MS) return;
        repeatedSeekAt = event.timeStamp;
      }
      carryOut(command, actions);
    };
    // The listener is on the window, so that any other handler can claim a key with preventDefault.
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/**
 * Returns the element that a key is meant for. After a menu has been closed with the mouse, the space bar isn't meant
 * for the button to which the focus returned.
 */
function keyTarget({ target }: KeyboardEvent, root: HTMLElement): Element {
  if (!(target instanceof Element)) return document.body;
  return target.hasAttribute(FOCUSED_BY_POINTER) ? root : target;
}

function preventDefault(event: Event): void {
  event.preventDefault();
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
    case "theater":
      actions.toggleTheater();
      return;
    case "shortcuts":
      actions.toggleShortcuts();
  }
}

export type KeyCommand =
  | { do: "play" | "fullscreen" | "mute" | "captions" | "theater" | "shortcuts" }
  | { do: "seek"; by: number }
  | { do: "jump"; fraction: number }
  | { do: "volume"; by: number }
  | { do: "speed" | "frame"; step: 1 | -1 };

export type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

const COMMANDS = new Map<string, KeyCommand>([
  [" ", { do: "play" }],
  ["k", { do: "play" }],
  ["f", { do: "fullscreen" }],
  ["m", { do: "mute" }],
  ["c", { do: "captions" }],
  ["t", { do: "theater" }],
  ["ArrowRight", { do: "seek", by: SEEK_STEP_S }],
  ["ArrowLeft", { do: "seek", by: -SEEK_STEP_S }],
  ["l", { do: "seek", by: SEEK_STEP_S }],
  ["j", { do: "seek", by: -SEEK_STEP_S }],
  ["ArrowUp", { do: "volume", by: VOLUME_STEP }],
  ["ArrowDown", { do: "volume", by: -VOLUME_STEP }],
  ["<", { do: "speed", step: -1 }],
  [">", { do: "speed", step: 1 }],
  [",", { do: "frame", step: -1 }],
  [".", { do: "frame", step: 1 }],
  ["?", { do: "shortcuts" }],
]);
for (let digit = 0; digit <= 9; digit++) {
  COMMANDS.set(String(digit), { do: "jump", fraction: digit / 10 });
}

/** The keys that require Shift on most keyboards. With any other key, Shift counts as a modifier. */
const WITH_SHIFT = new Set(["<", ">", "?"]);
const MAY_REPEAT = new Set<KeyCommand["do"]>(["seek", "volume", "frame"]);

/**
 * Returns the player command for a key. The player handles more keys than the specification lists (section 2, Player
 * controls).
 */
export function keyCommand(press: KeyPress): KeyCommand | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (press.shiftKey && !WITH_SHIFT.has(press.key)) return undefined;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  return COMMANDS.get(key);
}

const FIELDS =
  'textarea, select, input:not([type="range"]), [contenteditable]:not([contenteditable="false"])';
const PRESSABLE =
  'button, summary, [role="button"], [role^="menuitem"], [role="switch"], [role="tab"], [role="option"]';
const ARROWS_OF_THEIR_OWN =
  'input[type="range"]:not([data-seek-bar]), [role="menu"], [role="listbox"], [role="tablist"], [role="radiogroup"], [role="slider"], [role="combobox"]';
const MODAL = 'dialog[open], [aria-modal="true"]';

/**
 * Returns whether a key belongs to the focused element or an open dialog rather than to the player. The up and down
 * keys scroll the page unless the player has the focus.
 */
export function belongsElsewhere(key: string, target: Element, player: Element): boolean {
  if (target.closest(FIELDS)) return true;
  if (key === " " && target.closest(PRESSABLE)) return true;
  if (key.startsWith("Arrow") && target.closest(ARROWS_OF_THEIR_OWN)) return true;
  if ((key === "ArrowUp" || key === "ArrowDown") && !player.contains(target)) return true;
  const modal = target.ownerDocument.querySelector(MODAL);
  return modal !== null && !player.contains(modal);
}
