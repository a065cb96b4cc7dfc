import { Pause, Play, X } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useState } from "react";
import { PageLink } from "~/ui/page-link";
import { createCommands } from "../commands";
import { useMediaSession } from "../controls/use-media-session";
import { useSinglePlayer } from "../controls/use-single-player";
import { saveResumePoints } from "../memory/resume-points";
import { createFeedback } from "../overlays/feedback";
import { observePlayback } from "../playback-state";
import { useEvenLoudness } from "../sound/use-even-loudness";
import { playbackPosition } from "../source/playback-position";
import { PROBLEM_SENTENCES } from "../source/problems";
import { type Recovery, useRecovery } from "../source/recovery";
import { useSource } from "../source/source";
import { useStore, useStored } from "../store";
import { type Continued, providePosition, continued as store } from "./continued";
import stylesUrl from "./mini-player.css?url";

/** Back from there leads to the page that the mini player was on. */
const ONE_STEP = { steps: 1 };

/** A video in the corner of the page, for whoever goes on looking around. */
export function MiniPlayer({ continued }: { continued: Continued }) {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  // Asked for only now: few pages have a mini player, and every page would carry its styles.
  const [styled, setStyled] = useState(false);
  const { video, href } = continued;

  function close() {
    store.set(undefined);
    document.getElementById("main")?.focus({ preventScroll: true });
  }

  return (
    <section
      className="mini-player"
      hidden={!styled}
      aria-label="Mini player"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <link
        rel="stylesheet"
        href={stylesUrl}
        onLoad={() => setStyled(true)}
        onError={() => setStyled(true)}
      />
      <PageLink to={href} state={ONE_STEP} aria-label={`Back to ${video.title}`}>
        {/* biome-ignore lint/a11y/useMediaCaption: they are on the page that it leads to. */}
        <video ref={setElement} playsInline src={video.fileUrl} poster={video.posterUrl ?? ""} />
      </PageLink>
      <div>
        {element ? <MiniControls element={element} continued={continued} /> : null}
        <p dir="auto">{video.title}</p>
        <button type="button" aria-label="Close the mini player" onClick={close}>
          <X aria-hidden="true" />
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
  useEvenLoudness(element, video);
  useMediaSession(element, commands, video, undefined);

  // Before the source is opened, which begins at the position of the element.
  useLayoutEffect(() => {
    element.volume = continued.volume;
    element.muted = continued.muted;
    commands.setSpeed(continued.speed);
    commands.seekTo(continued.seconds);
  }, [element, commands, continued]);

  useEffect(() => {
    commands.play();
    const stopSaving = saveResumePoints(element, continued.video.id, () => {});
    const withdraw = providePosition(() => playbackPosition(element));
    return () => {
      stopSaving();
      withdraw();
    };
  }, [element, commands, continued]);

  return (
    <>
      <button type="button" aria-label={paused ? "Play" : "Pause"} onClick={commands.togglePlay}>
        {paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
      </button>
      {recovery ? <MiniProblem recovery={recovery} /> : null}
    </>
  );
}

function MiniProblem({ recovery }: { recovery: Recovery }) {
  const problem = useStore(recovery.problem);
  return problem ? <p role="alert">{PROBLEM_SENTENCES[problem]}</p> : null;
}
