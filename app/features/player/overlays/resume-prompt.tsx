import { History, X } from "lucide-react";
import { formatTime } from "../media-time";

/** Asks whether to resume where this video was left; never done unasked. */
export function ResumePrompt({
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
