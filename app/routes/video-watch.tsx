import { useNavigate } from "@remix-run/react";
import type { VideoDetail } from "~/catalogue/video.server";
import { VideoPlayer } from "~/player/video-player";
import { type ListLocation, videoPath } from "~/shared/addresses";
import type { VideoCardData } from "~/shared/video-card";
import { POSTER_TRANSITION } from "~/ui/cards/video-card";

/** The player in the video page: edge to edge on a phone, and above what follows while its menu is open. */
export function Watch({
  video,
  fileUrl,
  next,
  place,
  state,
}: {
  video: VideoDetail;
  /** The address of the file, with its version: what is watched stays the same file. */
  fileUrl: string;
  next: VideoCardData | undefined;
  place: ListLocation;
  /** Travels on to the next video, for the way back. */
  state?: unknown;
}) {
  const navigate = useNavigate();
  return (
    <div
      className="relative mt-1 -mx-4 overflow-hidden has-[[role=menu]]:z-40 sm:mx-0 sm:rounded-lg"
      style={{ viewTransitionName: POSTER_TRANSITION }}
    >
      <VideoPlayer
        video={{
          id: video.id,
          title: video.title,
          fileUrl,
          preparing: video.preparing,
          posterUrl: video.thumbnailUrl,
          hlsUrl: video.hlsUrl,
          storyboardUrl: video.storyboardUrl,
          captions: video.captions,
          durationSeconds: video.durationSeconds,
          next: next && {
            title: next.title,
            href: videoPath(next.id, place),
            thumbnailUrl: next.thumbnailUrl,
            duration: next.duration,
          },
        }}
        onNext={({ href }) => navigate(href, { state })}
      />
    </div>
  );
}
