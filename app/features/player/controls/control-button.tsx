import { forwardRef, type ReactNode } from "react";
import { classNames } from "~/ui/class-names";
import { usePlayer } from "../player-context";

interface ControlButtonProps {
  label: string;
  /** The key that does the same. */
  shortcut?: string;
  onPress(): void;
  className?: string;
  pressed?: boolean;
  /** Of a button that opens a menu: whether it is open. */
  menuOpen?: boolean;
  children: ReactNode;
}

/**
 * A button of the bar. A press of the mouse or a finger leaves the focus on the player, so that the
 * space bar still means play, and so that the controls hide again.
 */
export const ControlButton = forwardRef<HTMLButtonElement, ControlButtonProps>(
  function ControlButton(
    { label, shortcut, onPress, className, pressed, menuOpen, children },
    ref,
  ) {
    const { root } = usePlayer();
    return (
      <button
        ref={ref}
        type="button"
        className={classNames("player-button", className)}
        aria-label={label}
        aria-pressed={pressed}
        aria-haspopup={menuOpen === undefined ? undefined : "menu"}
        aria-expanded={menuOpen}
        aria-keyshortcuts={shortcut}
        data-tip={shortcut ? `${label} (${shortcut})` : label}
        onMouseDown={(event) => {
          event.preventDefault();
          root.focus({ preventScroll: true });
        }}
        onClick={onPress}
      >
        {children}
      </button>
    );
  },
);
