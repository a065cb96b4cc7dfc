import { useEffect, useRef, useState } from "react";
import { av1Preview } from "~/shared/streams/preview-files";
import { classNames } from "../class-names";

const PREVIEW_START_SECONDS = 25;

/** Where a preview begins: 25 s in, or at the start of what is no longer than that. */
export function previewStart(durationSeconds: number): number {
  return durationSeconds > PREVIEW_START_SECONDS ? PREVIEW_START_SECONDS : 0;
}

/** What 270 pixels at 30 pictures a second take of AV1: Main profile, level 3.0. */
const AV1_TYPE = 'video/mp4; codecs="av01.0.04M.08"';

/**
 * The moving picture over a poster: muted, looping, with a thin line for how far it is. A script of its own,
 * for those who rest on a card with a mouse.
 */
export default function HoverPreview({ url }: { url: string }) {
  const av1 = av1Preview(url);
  const video = useRef<HTMLVideoElement>(null);
  const [visible, setVisible] = useState(false);
  const [progress, setProgress] = useState(0);

  // Removed from the page, a video element would go on loading what it has begun.
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
