import { usePlayer } from "./player-context";
import { useStore } from "./store";

/** Shown while the picture waits for the network; the word is for everybody. */
export function Spinner() {
  const { playback } = usePlayer();
  const { buffering } = useStore(playback);
  return (
    <div role="status" className="player-middle">
      {buffering ? (
        <div className="player-waiting">
          <div className="player-spinner" aria-hidden="true" />
          <span>Buffering…</span>
        </div>
      ) : null}
    </div>
  );
}
