import { useEffect } from "react";

const CHANNEL = "player";

/** One video at a time: the one that starts pauses those in this site's other tabs. */
export function useSinglePlayer(element: HTMLVideoElement): void {
  useEffect(() => {
    if (!("BroadcastChannel" in window)) return;
    const channel = new BroadcastChannel(CHANNEL);
    const announce = () => channel.postMessage("playing");
    channel.onmessage = () => element.pause();
    element.addEventListener("play", announce);
    return () => {
      element.removeEventListener("play", announce);
      channel.close();
    };
  }, [element]);
}
