import { useDeferredValue, useState } from "react";
import { useHydrated } from "~/ui/use-hydrated";
import { EnhancedPlayer } from "./enhanced-player";
import "./player.css";
import { usePoster } from "./stream-preloads";
import type { NextVideo, PlayerVideo } from "./types";

export interface VideoPlayerProps {
  video: PlayerVideo;
  /**
   * Called to open the next video when the countdown ends or the card is clicked. By default, the card's link is
   * followed.
   */
  onNext?: (next: NextVideo) => void;
  /** Called if the browser can't decode the file and has to wait for `video.hlsUrl`. */
  onPreparing?: () => void;
}

/**
 * The player on the video page. The server renders a video element with the browser's controls, which work without
 * JavaScript; with JavaScript, our controls take over. In theater mode, the root has `data-theater`, so that the page
 * can make room: `.page:has([data-theater])`.
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
        // The file's metadata isn't loaded if there is a stream.
        preload={shown.hlsUrl ? "none" : "metadata"}
        // The fragment (Media Fragments URI 1.0) works without JavaScript, too.
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
 * Returns whether to show our controls. On a server-rendered page, they are added after hydration, so that a slow phone
 * can handle input in between; until then, the browser's controls are shown. A player opened by client-side navigation
 * has our controls immediately.
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
 * Returns the video, keeping the file with which playback started. A conversion may replace the file at any time, which
 * must not send viewers back to the beginning or to the start time in the URL. The exception is a stream without a file
 * that has been encoded again.
 */
function usePinnedFile(video: PlayerVideo): PlayerVideo {
  const [pinned, setPinned] = useState(video);
  const sameVideo = pinned.id === video.id;
  const isGone = pinned.fileUrl === pinned.hlsUrl && pinned.hlsUrl !== video.hlsUrl;
  if (!sameVideo || isGone || (!pinned.fileUrl && video.fileUrl)) setPinned(video);
  if (!sameVideo || isGone || !pinned.fileUrl) return video;
  return { ...video, fileUrl: pinned.fileUrl, startSeconds: pinned.startSeconds };
}

/** Shown instead of the player if the video has no file (specification, section 2, Video detail). */
function NoFile({
  posterUrl,
  preparing,
}: {
  posterUrl?: string | null;
  /** Whether the file is being converted and will be available later. */
  preparing?: boolean;
}) {
  return (
    <div className="player player-without-file">
      {posterUrl ? <img className="player-poster" src={posterUrl} alt="" /> : null}
      <div className="player-notice">
        <p className="player-notice-title">Video not available</p>
        <p>Please try again later.</p>
        {preparing ? <p>We’re still preparing this video.</p> : null}
      </div>
    </div>
  );
}
