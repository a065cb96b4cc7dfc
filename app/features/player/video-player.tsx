import { useDeferredValue, useState } from "react";
import { useHydrated } from "~/ui/use-hydrated";
import { EnhancedPlayer } from "./enhanced-player";
import "./player.css";
import { usePoster } from "./stream-preloads";
import type { NextVideo, PlayerVideo } from "./types";

export interface VideoPlayerProps {
  video: PlayerVideo;
  /** Opens the next video, at the end of the countdown or at a press. Default: follows its link. */
  onNext?: (next: NextVideo) => void;
  /** The browser can't decode the file, and has to wait for `video.hlsUrl`. */
  onPreparing?: () => void;
}

/**
 * The player of the video page. Rendered by the server it is the browser's own player, so that it
 * plays without scripts; with them, our controls take over. In theatre mode the root carries
 * `data-theatre`, for the page to make room: `.page:has([data-theatre])`.
 */
export function VideoPlayer({ video, onNext = followLink, onPreparing }: VideoPlayerProps) {
  const shown = usePinnedFile(video);
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  const enhanced = useEnhanced(root !== null && element !== null);
  const poster = usePoster(shown.posterUrl, element);
  if (!shown.fileUrl) return <NoFile posterUrl={shown.posterUrl} preparing={shown.preparing} />;
  return (
    <section ref={setRoot} className="player" tabIndex={-1} aria-label="Video player">
      {/* biome-ignore lint/a11y/useMediaCaption: the tracks are those that the video has. */}
      <video
        ref={setElement}
        className="player-video"
        controls={!enhanced}
        playsInline
        // What a stream will play must not wait for the metadata of the file.
        preload={shown.hlsUrl ? "none" : "metadata"}
        // The fragment (Media Fragments URI 1.0) starts there without scripts too.
        src={shown.startSeconds ? `${shown.fileUrl}#t=${shown.startSeconds}` : shown.fileUrl}
        poster={poster}
        aria-label={shown.title}
      >
        {shown.captions?.map((track) => (
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
      {enhanced && root && element ? (
        <EnhancedPlayer
          root={root}
          element={element}
          video={shown}
          onNext={onNext}
          onPreparing={onPreparing}
        />
      ) : null}
    </section>
  );
}

/**
 * Whether our controls are there. On a page that the server has rendered they come after the page can be
 * pressed, so that a slow phone answers between the two; the browser's own serve until then. A player that
 * is opened within the site has them at once.
 */
function useEnhanced(isMounted: boolean): boolean {
  const hydrated = useHydrated();
  const [openedWithin] = useState(hydrated);
  const later = useDeferredValue(isMounted);
  return openedWithin ? isMounted : later;
}

function followLink(next: NextVideo): void {
  window.location.assign(next.href);
}

/**
 * The video with the file that it began with. A conversion may give the same video another file at
 * any moment, and whoever watches it should not be thrown back to its beginning, nor to the start in
 * the address of a link to the same video. A stream that began without a file and was made anew is
 * another one.
 */
function usePinnedFile(video: PlayerVideo): PlayerVideo {
  const [pinned, setPinned] = useState(video);
  const sameVideo = pinned.id === video.id;
  const isGone = pinned.fileUrl === pinned.hlsUrl && pinned.hlsUrl !== video.hlsUrl;
  if (!sameVideo || isGone || (!pinned.fileUrl && video.fileUrl)) setPinned(video);
  if (!sameVideo || isGone || !pinned.fileUrl) return video;
  return { ...video, fileUrl: pinned.fileUrl, startSeconds: pinned.startSeconds };
}

/** Instead of the player when the video has no file (specification, section 2, Video detail). */
function NoFile({
  posterUrl,
  preparing,
}: {
  posterUrl?: string | null;
  /** It is being converted, so coming back is worth it. */
  preparing?: boolean;
}) {
  return (
    <div className="player player-without-file">
      {posterUrl ? <img className="player-poster" src={posterUrl} alt="" /> : null}
      <div className="player-notice">
        <p className="player-notice-title">Video not available</p>
        <p>Please try again later.</p>
        {preparing ? <p>It is being prepared.</p> : null}
      </div>
    </div>
  );
}
