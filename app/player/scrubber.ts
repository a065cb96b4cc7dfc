/**
 * Moves a video to where the pointer is, one seek at a time: a slow phone that gets a new place for
 * every pointer move shows none of them. The latest wish is carried out when the last one is done.
 */
export function createScrubber(element: HTMLVideoElement) {
  let wish: number | undefined;
  const onSeeked = () => {
    if (wish === undefined) return;
    element.currentTime = wish;
    wish = undefined;
  };
  element.addEventListener("seeked", onSeeked);
  return {
    to(seconds: number) {
      if (element.seeking) wish = seconds;
      else element.currentTime = seconds;
    },
    /** The pointer is lifted: this place and no earlier wish. */
    finish(seconds: number) {
      wish = undefined;
      element.currentTime = seconds;
    },
    close() {
      element.removeEventListener("seeked", onSeeked);
    },
  };
}
