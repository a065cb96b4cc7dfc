import { useEffect } from "react";
import { useStore } from "../store";
import { continued } from "./continued";

/** Where the mini player is, on whatever page; not before the visitor's age is confirmed. */
export function MiniHost({ allowed }: { allowed: boolean }) {
  const shown = useStore(continued);
  useEffect(() => {
    if (!allowed) continued.set(undefined);
  }, [allowed]);
  return allowed && shown ? <shown.Player key={shown.video.id} continued={shown} /> : null;
}
