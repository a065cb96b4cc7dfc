import { Pause, Play, X } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { PageLink } from "~/ui/page-link";
import { useStore, useStored } from "~/ui/store";
import { type Commands, createCommands } from "./commands";
import {
  type Continued,
  closeMiniPlayer,
  continued,
  miniPlayer,
  registerPosition,
  continued as store,
} from "./continued";
import { createFeedback } from "./feedback";
import { useLoudnessNormalization } from "./loudness";
import { useMediaSession, useSinglePlayer } from "./media-session";
import { saveResumePoints } from "./memory";
import { observePlayback, playbackPosition } from "./playback-state";
import { PROBLEM_MESSAGES, type Recovery, useRecovery } from "./recovery";
import { useSource } from "./source";
import type { PlayerVideo } from "./types";

const BUTTON = "grid size-11 shrink-0 place-items-center rounded-full -outline-offset-3";

/** On the video's page, the browser's Back button returns to the page where the mini player was shown. */
const ONE_STEP = { steps: 1 };

/** A small player in the corner of the page that continues the video while the visitor browses. */
function MiniPlayer({ continued }: { continued: Continued }) {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  const { video, href } = continued;

  function close() {
    store.set(undefined);
    document.getElementById("main")?.focus({ preventScroll: true });
  }

  return (
    <section
      className="mini-player fixed right-[max(0.75rem,env(safe-area-inset-right))] bottom-[max(0.75rem,env(safe-area-inset-bottom))] z-25 w-[min(20rem,58vw)] animate-fade-in overflow-hidden rounded-lg border border-line-strong bg-surface lifted"
      aria-label="Mini player"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <PageLink
        to={href}
        state={ONE_STEP}
        aria-label={`Return to ${video.title}`}
        className="block -outline-offset-3"
      >
        {/* biome-ignore lint/a11y/useMediaCaption: the video's own page has them. */}
        <video
          ref={setElement}
          playsInline
          src={video.fileUrl}
          poster={video.posterUrl ?? ""}
          className="aspect-video w-full bg-shade"
        />
      </PageLink>
      <div className="flex items-center">
        {element ? <MiniControls element={element} continued={continued} /> : null}
        <p dir="auto" className="min-w-0 flex-1 truncate text-sm [[role=alert]+&]:hidden">
          {video.title}
        </p>
        <button type="button" aria-label="Close mini player" onClick={close} className={BUTTON}>
          <X aria-hidden="true" className="size-5" />
        </button>
      </div>
    </section>
  );
}

function MiniControls({ element, continued }: { element: HTMLVideoElement; continued: Continued }) {
  const { video } = continued;
  const playback = useMemo(() => observePlayback(element), [element]);
  const commands = useMemo(
    () => createCommands(element, playback, createFeedback()),
    [element, playback],
  );
  const source = useSource(element, video);
  const recovery = useRecovery(element, source, playback, video);
  const paused = useStored(playback, "paused");
  useSinglePlayer(element);
  useLoudnessNormalization(element, video);
  useMediaSession(element, commands, video, undefined);

  // This must run before the source is opened, because the source starts at the element's position.
  useLayoutEffect(() => {
    element.volume = continued.volume;
    element.muted = continued.muted;
    commands.setSpeed(continued.speed);
    commands.seekTo(continued.seconds);
  }, [element, commands, continued]);

  useEffect(() => {
    commands.play();
    const stopSaving = saveResumePoints(element, continued.video.id, () => {});
    const withdraw = registerPosition(() => playbackPosition(element));
    return () => {
      stopSaving();
      withdraw();
    };
  }, [element, commands, continued]);

  return (
    <>
      <button
        type="button"
        aria-label={paused ? "Play" : "Pause"}
        onClick={commands.togglePlay}
        className={BUTTON}
      >
        {paused ? (
          <Play aria-hidden="true" className="size-5" />
        ) : (
          <Pause aria-hidden="true" className="size-5" />
        )}
      </button>
      {recovery ? <MiniProblem recovery={recovery} /> : null}
    </>
  );
}

function MiniProblem({ recovery }: { recovery: Recovery }) {
  const problem = useStore(recovery.problem);
  return problem ? (
    <p role="alert" className="min-w-0 flex-2 py-2 text-sm">
      {PROBLEM_MESSAGES[problem]}
    </p>
  ) : null;
}

/**
 * Takes over at the mini player's position and closes the mini player if it is playing this video. When the page is
 * left during playback, hands the video over to the mini player, unless the player is only replaced at the same URL
 * (because the video no longer exists, or because a skeleton is shown while the next page is loading).
 */
export function useContinuation(
  element: HTMLVideoElement,
  commands: Commands,
  video: PlayerVideo,
): void {
  const latest = useRef(video);
  latest.current = video;

  // This effect runs before the two effects that read the element's state: one offers to resume, and the other unloads
  // the element.
  useLayoutEffect(() => {
    const position = closeMiniPlayer(latest.current.id);
    if (position) commands.seekTo(position.seconds);
    if (position?.playing) commands.play();
    return () => {
      const video = latest.current;
      const { seconds, playing } = playbackPosition(element);
      const { href } = video;
      const isLeft = href && new URL(href, location.href).pathname !== location.pathname;
      if (!isLeft || !playing || element.ended || !miniPlayer.read()) return;
      const { defaultPlaybackRate: speed, volume, muted } = element;
      continued.set({ video, href, seconds, speed, volume, muted, Player: MiniPlayer });
    };
  }, [element, commands]);
}
