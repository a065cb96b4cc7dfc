import { useEffect, useState } from "react";

/** Whether a script may set the volume. On an iPhone only its keys do: the property stays at 1. */
export function useVolumeSettable(): boolean {
  const [settable, setSettable] = useState(true);
  useEffect(() => {
    const probe = document.createElement("video");
    probe.volume = 0.5;
    setSettable(probe.volume === 0.5);
  }, []);
  return settable;
}
