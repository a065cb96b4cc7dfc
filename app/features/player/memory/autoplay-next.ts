import { useEffect } from "react";
import type { Commands } from "../commands";

/** The page whose video goes on playing. Outlives the player, which the next page may build anew. */
let autoplayPath: string | undefined;

/** The video behind this address is to play as soon as its page is there. */
export function autoplayNext(href: string): void {
  autoplayPath = new URL(href, window.location.href).pathname;
}

/** Plays by itself when the visitor came here from the end of another video. */
export function useAutoplayNext(commands: Commands, id: string): void {
  // Asked anew for each video.
  useEffect(() => {
    if (autoplayPath === undefined) return;
    const here = autoplayPath === window.location.pathname;
    autoplayPath = undefined;
    if (here) commands.play();
  }, [commands, id]);
}
