import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { exitByShift } from "~/features/visitor/preferences";
import { SEEK_STEP_S } from "./constants";
import { useEscape } from "./visibility";

const SHORTCUTS: [keys: string[], meaning: string][] = [
  [["Space", "k"], "Play or pause"],
  [["←", "j"], `Back ${SEEK_STEP_S} seconds`],
  [["→", "l"], `Forward ${SEEK_STEP_S} seconds`],
  [["↑", "↓"], "Volume (when the player has focus)"],
  [["m"], "Mute"],
  [["f"], "Fullscreen"],
  [["t"], "Theater mode"],
  [["c"], "Captions"],
  [["0", "–", "9"], "Jump to 0–90%"],
  [["<", ">"], "Decrease / increase speed"],
  [["/"], "Search"],
  [[",", "."], "Previous / next frame (paused)"],
  [["?"], "Show this list"],
];
const EXIT: (typeof SHORTCUTS)[number] = [["Shift"], "Press 3 times to exit this page"];

export function ShortcutList({ onClose }: { onClose(): void }) {
  const close = useRef<HTMLButtonElement>(null);
  const exits = exitByShift.use();
  useEscape(onClose);
  useEffect(() => close.current?.focus({ preventScroll: true }), []);
  return (
    <div className="player-shortcuts" role="dialog" aria-label="Keyboard shortcuts">
      <div className="player-shortcuts-head">
        <h2>Keyboard shortcuts</h2>
        <button
          ref={close}
          type="button"
          className="player-button"
          aria-label="Close"
          onClick={onClose}
        >
          <X />
        </button>
      </div>
      <dl>
        {(exits ? [...SHORTCUTS, EXIT] : SHORTCUTS).map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
