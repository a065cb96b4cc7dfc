import { useLayoutEffect, useRef } from "react";
import { REPEATED_KEY_SEEK_MS, SEEK_STEP_S, VOLUME_STEP } from "./constants";
import type { PlayerParts } from "./player-context";
import { FOCUSED_BY_POINTER } from "./visibility";

interface KeyActions
  extends Pick<PlayerParts, "root" | "playback" | "commands" | "feedback" | "source"> {
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
      if (!command) return;
      // Also of a repeating key whose command doesn't repeat, or it would scroll the page.
      event.preventDefault();
      if (event.repeat && !MAY_REPEAT.has(command.do)) return;
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

export type KeyCommand =
  | { do: "play" | "fullscreen" | "mute" | "captions" | "theatre" | "shortcuts" }
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
  ["t", { do: "theatre" }],
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

/** These need Shift on most keyboards; with any other key Shift is a modifier like the others. */
const WITH_SHIFT = new Set(["<", ">", "?"]);
const MAY_REPEAT = new Set<KeyCommand["do"]>(["seek", "volume", "frame"]);

/** What a key means to the player (specification, section 2, Player controls, and beyond it). */
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
 * Whether a key belongs to what has the focus, or to a dialog that is open, and not to the player.
 * Up and down scroll the page unless the player has the focus.
 */
export function belongsElsewhere(key: string, target: Element, player: Element): boolean {
  if (target.closest(FIELDS)) return true;
  if (key === " " && target.closest(PRESSABLE)) return true;
  if (key.startsWith("Arrow") && target.closest(ARROWS_OF_THEIR_OWN)) return true;
  if ((key === "ArrowUp" || key === "ArrowDown") && !player.contains(target)) return true;
  const modal = target.ownerDocument.querySelector(MODAL);
  return modal !== null && !player.contains(modal);
}
