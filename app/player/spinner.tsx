import { usePlayer } from "./player-context";
import { useStore, useStored } from "./store";
import type { Recovery } from "./use-recovery";

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
