import { NoFile } from "./no-file";
import "./player.css";
import type { NextVideo, PlayerVideo } from "./types";

export type { CaptionTrack, NextVideo, PlayerVideo } from "./types";

export interface VideoPlayerProps {
  video: PlayerVideo;
  /** Opens the next video, at the end of the countdown or at a press. Default: follows its link. */
  onNext?: (next: NextVideo) => void;
}

/**
 * The player of the video page. Rendered by the server it is the browser's own player, so that it
 * plays without scripts. In theatre mode the root carries `data-theatre`, for the page to make room:
 * `.page:has([data-theatre])`.
 */
export function VideoPlayer({ video }: VideoPlayerProps) {
  if (!video.fileUrl) return <NoFile posterUrl={video.posterUrl} />;
  return (
    <section className="player" aria-label="Video player">
      {/* biome-ignore lint/a11y/useMediaCaption: the tracks are those that the video has. */}
      <video
        className="player-video"
        controls
        playsInline
        preload="metadata"
        src={video.fileUrl}
        poster={video.posterUrl ?? undefined}
        aria-label={video.title}
      >
        {video.captions?.map((track) => (
          <track
            key={track.url}
            kind="captions"
            src={track.url}
            srcLang={track.language}
            label={track.label}
            default={track.default}
          />
        ))}
      </video>
    </section>
  );
}
