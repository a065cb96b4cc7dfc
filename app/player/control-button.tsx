import type { ReactNode } from "react";
import { classNames } from "~/ui/class-names";
import { usePlayer } from "./player-context";

interface ControlButtonProps {
  label: string;
  /** The key that does the same. */
  shortcut?: string;
  onPress(): void;
  className?: string;
  pressed?: boolean;
  expanded?: boolean;
  children: ReactNode;
}

/**
 * A button of the bar. A press of the mouse or a finger leaves the focus on the player, so that the
 * space bar still means play, and so that the controls hide again.
 */
export function ControlButton({
  label,
  shortcut,
  onPress,
  className,
  pressed,
  expanded,
  children,
}: ControlButtonProps) {
  const { root } = usePlayer();
  return (
    <button
      type="button"
      className={classNames("player-button", className)}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
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
}
