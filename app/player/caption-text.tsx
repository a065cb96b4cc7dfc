import { useEffect, useRef } from "react";
import { usePlayer } from "./player-context";

/** The cues of now, drawn by us so that they move above the controls when those are shown. */
export function CaptionText() {
  const { captions } = usePlayer();
  const box = useRef<HTMLDivElement>(null);
  const { track } = captions;

  useEffect(() => {
    if (!track) return;
    const draw = () => {
      const lines = Array.from(track.activeCues ?? [], (cue) => {
        const line = document.createElement("p");
        // The browser's own reading of the cue: no markup of the file gets past it.
        line.append((cue as VTTCue).getCueAsHTML());
        return line;
      });
      box.current?.replaceChildren(...lines);
    };
    draw();
    track.addEventListener("cuechange", draw);
    return () => {
      track.removeEventListener("cuechange", draw);
      box.current?.replaceChildren();
    };
  }, [track]);

  return <div ref={box} className="player-captions" />;
}
