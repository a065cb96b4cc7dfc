import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import { useStore } from "../store";
import { continued } from "./continued";

/**
 * Where the mini player is, on whatever page; not before the visitor's age is confirmed. The page of another
 * video ends it, also where that video has no file or doesn't exist.
 */
export function MiniHost({ allowed }: { allowed: boolean }) {
  const { pathname } = useLocation();
  const shown = useStore(continued);
  const isPlayable = allowed && !(shown && isOtherVideo(pathname, shown.href));
  useEffect(() => {
    if (!isPlayable) continued.set(undefined);
  }, [isPlayable]);
  return isPlayable && shown ? <shown.Player key={shown.video.id} continued={shown} /> : null;
}

/** Whether a page is that of a video, and not the one at `href`. */
function isOtherVideo(pathname: string, href: string): boolean {
  return pathname.startsWith("/video/") && pathname !== new URL(href, location.href).pathname;
}
