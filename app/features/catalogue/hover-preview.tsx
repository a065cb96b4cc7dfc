import { useEffect, useRef, useState } from "react";
import { av1Preview, previewStart } from "~/shared/streams/preview-files";
import { classNames } from "~/ui/class-names";

/** AV1 with a height of 270 pixels at 30 frames per second: Main profile, level 3.0. */
const AV1_TYPE = 'video/mp4; codecs="av01.0.04M.08"';

export interface HoverPreviewProps {
  url: string;
  /** Whether the preview is a generated clip, which already starts at the right position, unlike the video file. */
  isClip?: boolean;
}

/**
 * The muted, looping video on top of a poster, with a thin progress line. It is in a separate script, which is loaded
 * only for visitors who hover over a card with a mouse.
 */
export default function HoverPreview({ url, isClip = false }: HoverPreviewProps) {
  const av1 = av1Preview(url);
  const video = useRef<HTMLVideoElement>(null);
  const start = useRef(0);
  const [visible, setVisible] = useState(false);
  const [progress, setProgress] = useState(0);

  // Otherwise, the browser would continue to load the video after the element is removed.
  useEffect(() => {
    const element = video.current;
    return () => {
      element?.pause();
      element?.replaceChildren();
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
        muted
        // The browser's built-in looping would start over at 0.
        loop={isClip}
        autoPlay
        playsInline
        tabIndex={-1}
        disablePictureInPicture
        className="size-full object-cover"
        onLoadedMetadata={({ currentTarget }) => {
          if (isClip) return;
          start.current = previewStart(currentTarget.duration);
          currentTarget.currentTime = start.current;
        }}
        onEnded={({ currentTarget }) => {
          currentTarget.currentTime = start.current;
          // The promise is rejected if the preview has ended in the meantime.
          void currentTarget.play().catch(() => {});
        }}
        onPlaying={() => setVisible(true)}
        onTimeUpdate={({ currentTarget: { currentTime, duration } }) => {
          const from = start.current;
          if (duration > from) setProgress(Math.max(0, (currentTime - from) / (duration - from)));
        }}
      >
        {av1 && <source src={av1} type={AV1_TYPE} />}
        <source src={url} />
      </video>
      <div
        className="absolute inset-x-0 bottom-0 h-0.5 origin-left bg-accent"
        style={{ transform: `scaleX(${progress})` }}
      />
    </div>
  );
}
