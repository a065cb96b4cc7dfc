import { SEEK_STEP_S, VOLUME_STEP } from "../constants";

export type KeyCommand =
  | { do: "play" | "fullscreen" | "mute" | "captions" | "theatre" | "shortcuts" }
  | { do: "seek"; by: number }
  | { do: "jump"; fraction: number }
  | { do: "volume"; by: number }
  | { do: "speed" | "frame"; step: 1 | -1 };

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  repeat: boolean;
}

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
  const command = COMMANDS.get(key);
  if (press.repeat && command && !MAY_REPEAT.has(command.do)) return undefined;
  return command;
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
