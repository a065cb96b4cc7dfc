import { RotateCw } from "lucide-react";
import { PROBLEM_SENTENCES } from "./problems";
import { useStore } from "./store";
import type { Recovery } from "./use-recovery";

/** One sentence about what keeps the video from playing, and the one button for it. */
export function ProblemNotice({ recovery }: { recovery: Recovery }) {
  const problem = useStore(recovery.problem);
  if (!problem) return null;
  return (
    <div className="player-problem" role="alert">
      <p>{PROBLEM_SENTENCES[problem]}</p>
      <button type="button" className="player-action" onClick={recovery.retry}>
        <RotateCw aria-hidden="true" />
        Retry
      </button>
    </div>
  );
}
