import { useEffect, useRef } from "react";
import { usePlayer } from "../player-context";

/**
 * The cues of now, drawn by us so that they move above the controls, and above the picture over the
 * seek bar, when those are shown.
 */
export function CaptionText() {
  const { captions } = usePlayer();
  const box = useRef<HTMLDivElement>(null);
  const { textTrack } = captions;

  useEffect(() => {
    if (!textTrack) return;
    const draw = () => {
      const lines = Array.from(textTrack.activeCues ?? [], (cue) => {
        const line = document.createElement("p");
        // The browser's own reading of the cue: no markup of the file gets past it.
        line.append((cue as VTTCue).getCueAsHTML());
        return line;
      });
      box.current?.replaceChildren(...lines);
    };
    draw();
    textTrack.addEventListener("cuechange", draw);
    return () => {
      textTrack.removeEventListener("cuechange", draw);
      box.current?.replaceChildren();
    };
  }, [textTrack]);

  return (
    <div className="player-captions">
      <div ref={box} />
    </div>
  );
}
