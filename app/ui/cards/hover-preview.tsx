import { useEffect, useRef, useState } from "react";
import { classNames } from "../class-names";
import { previewStart } from "./use-hover-preview";

/** The moving picture over a poster: muted, looping, with a thin line for how far it is. */
export function HoverPreview({ url }: { url: string }) {
  const video = useRef<HTMLVideoElement>(null);
  const [visible, setVisible] = useState(false);
  const [progress, setProgress] = useState(0);

  // Removed from the page, a video element would go on loading what it has begun.
  useEffect(() => {
    const element = video.current;
    return () => {
      element?.pause();
      element?.removeAttribute("src");
      element?.load();
    };
  }, []);

  return (
    <div
      aria-hidden="true"
      className={classNames(
        "absolute inset-0 transition-opacity",
        visible ? "opacity-100" : "opacity-0",
      )}
    >
      <video
        ref={video}
        src={url}
        muted
        loop
        autoPlay
        playsInline
        tabIndex={-1}
        disablePictureInPicture
        className="size-full object-cover"
        onLoadedMetadata={({ currentTarget }) => {
          currentTarget.currentTime = previewStart(currentTarget.duration);
        }}
        onPlaying={() => setVisible(true)}
        onTimeUpdate={({ currentTarget: { currentTime, duration } }) => {
          if (duration > 0) setProgress(currentTime / duration);
        }}
      />
      <div
        className="absolute inset-x-0 bottom-0 h-0.5 origin-left bg-accent"
        style={{ transform: `scaleX(${progress})` }}
      />
    </div>
  );
}
