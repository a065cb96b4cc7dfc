import { RotateCw } from "lucide-react";
import { usePlayer } from "../player-context";
import { PROBLEM_SENTENCES } from "../source/problems";
import type { Recovery } from "../source/recovery";
import { useStore, useStored } from "../store";

/** One sentence about what keeps the video from playing, and the one button where that may help. */
export function ProblemNotice({ recovery }: { recovery: Recovery }) {
  const problem = useStore(recovery.problem);
  if (!problem) return null;
  return (
    <div className="player-problem" role="alert">
      <p>{PROBLEM_SENTENCES[problem]}</p>
      {problem === "preparing" ? null : (
        <button type="button" className="player-action" onClick={recovery.retry}>
          <RotateCw aria-hidden="true" />
          Retry
        </button>
      )}
    </div>
  );
}

/** Shown while the picture waits for the network, until there is more to say; the word is for everybody. */
export function Spinner({ recovery }: { recovery: Recovery }) {
  const { playback } = usePlayer();
  const buffering = useStored(playback, "buffering");
  const problem = useStore(recovery.problem);
  return (
    <div role="status" className="player-middle">
      {buffering && !problem ? (
        <div className="player-waiting">
          <div className="player-spinner" aria-hidden="true" />
          <span>Buffering…</span>
        </div>
      ) : null}
    </div>
  );
}
