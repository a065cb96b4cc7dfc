import { History, X } from "lucide-react";
import { formatTime } from "./times";

/** Going on where this video was left: offered, never done unasked. */
export function ResumeOffer({
  at,
  onResume,
  onDismiss,
}: {
  at: number;
  onResume(): void;
  onDismiss(): void;
}) {
  return (
    <div className="player-resume">
      <button type="button" className="player-action" onClick={onResume}>
        <History aria-hidden="true" />
        Resume at {formatTime(at)}
      </button>
      <button
        type="button"
        className="player-button"
        aria-label="Dismiss resume"
        onClick={onDismiss}
      >
        <X />
      </button>
    </div>
  );
}
