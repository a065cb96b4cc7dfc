import { useEffect, useState } from "react";

/** The small window that stays on top of others, where the browser has one. */
export function usePictureInPicture(element: HTMLVideoElement) {
  const [active, setActive] = useState(document.pictureInPictureElement === element);
  useEffect(() => {
    const on = () => setActive(true);
    const off = () => setActive(false);
    element.addEventListener("enterpictureinpicture", on);
    element.addEventListener("leavepictureinpicture", off);
    return () => {
      element.removeEventListener("enterpictureinpicture", on);
      element.removeEventListener("leavepictureinpicture", off);
    };
  }, [element]);

  return {
    active,
    supported: document.pictureInPictureEnabled === true,
    /** Refused while nothing has loaded yet; then nothing changes. */
    toggle() {
      const done = active ? document.exitPictureInPicture() : element.requestPictureInPicture();
      void Promise.resolve(done).catch(() => {});
    },
  };
}
