import {
  BRIGHTNESS_MAX,
  BRIGHTNESS_MIN,
  HELD_SPEED,
  SPEEDS,
  UNMUTE_VOLUME,
  VOLUME_MAX,
  VOLUME_MIN,
} from "./constants";
import type { FeedbackBoard, Point } from "./feedback";
import { clampTime } from "./media-time";
import { isChangingSource, type PlaybackState, pause, playbackPosition } from "./playback-state";

export const VOLUME_RANGE = { min: VOLUME_MIN, max: VOLUME_MAX };
export const BRIGHTNESS_RANGE = { min: BRIGHTNESS_MIN, max: BRIGHTNESS_MAX };

export type Commands = ReturnType<typeof createCommands>;

/** Returns all actions on the element that controls, keys and gestures can trigger. */
export function createCommands(
  video: HTMLVideoElement,
  playback: PlaybackState,
  feedback: FeedbackBoard,
) {
  let brightness = 1;
  let speedBefore: number | undefined;

  /** Plays the video, or leaves it paused if the browser blocks autoplay. */
  function play() {
    void Promise.resolve(video.play()).catch(() => {});
  }

  function seekTo(seconds: number) {
    video.currentTime = clampTime(seconds, video.duration);
  }

  function setVolume(volume: number) {
    video.volume = clamp(volume, VOLUME_RANGE);
    video.muted = video.volume === 0;
  }

  function setSpeed(speed: number) {
    // The default speed must be set as well, because loading another rendition resets the speed to the default.
    video.defaultPlaybackRate = speed;
    video.playbackRate = speed;
  }

  return {
    play,
    seekTo,
    setVolume,
    setSpeed,

    togglePlay() {
      if (!playbackPosition(video).playing || video.ended) play();
      else {
        pause(video);
        playback.refresh();
      }
    },

    /** Seeks by a number of seconds and shows the total of consecutive seeks on screen. */
    seekBy(seconds: number, at?: Point) {
      seekTo(playbackPosition(video).seconds + seconds);
      feedback.seek(seconds, at);
    },

    /**
     * While paused, seeks to the middle of the next or previous frame, because the middle can't be rounded to another
     * frame.
     */
    stepFrame(step: 1 | -1, frameRate: number) {
      const { seconds, playing } = playbackPosition(video);
      if (playing) return;
      seekTo((Math.floor(seconds * frameRate) + step + 0.5) / frameRate);
    },

    seekToFraction(fraction: number) {
      const { duration } = isChangingSource(video) ? playback.get() : video;
      if (Number.isFinite(duration)) seekTo(duration * fraction);
    },

    /** Toggles mute. Unmuting restores a volume of 0.5 (specification, section 9). */
    toggleMute() {
      const silent = video.muted || video.volume === 0;
      video.muted = !silent;
      if (silent) video.volume = UNMUTE_VOLUME;
    },

    /** Returns the audible volume, which is 0 while muted. */
    volume: () => (video.muted ? 0 : video.volume),

    /**
     * Changes the volume by a step. The result is rounded, so that 20 steps up and then 20 steps down restore the
     * initial volume.
     */
    changeVolume(by: number) {
      const heard = video.muted ? 0 : video.volume;
      setVolume(Math.round((heard + by) * 100) / 100);
      feedback.level("volume", video.volume);
    },

    stepSpeed(step: 1 | -1) {
      const now = video.playbackRate;
      const next =
        step > 0 ? SPEEDS.find((speed) => speed > now) : SPEEDS.findLast((speed) => speed < now);
      setSpeed(next ?? now);
      feedback.note("speed", `${next ?? now}×`);
    },

    /** Plays at double speed while a press lasts, without changing the chosen speed. */
    holdSpeed(held: boolean) {
      if (held === (speedBefore !== undefined)) return;
      const restored = speedBefore ?? 1;
      speedBefore = held ? video.playbackRate : undefined;
      video.playbackRate = held ? HELD_SPEED : restored;
      feedback.hold(held ? `${HELD_SPEED}×` : undefined);
    },

    isSpeedHeld: () => speedBefore !== undefined,

    toggleLoop() {
      video.loop = !video.loop;
      playback.refresh();
    },

    brightness: () => brightness,

    setBrightness(level: number) {
      brightness = clamp(level, BRIGHTNESS_RANGE);
      video.style.filter = brightness === 1 ? "" : `brightness(${brightness.toFixed(2)})`;
    },

    /**
     * When the player switches to another video, resets everything that is specific to a video, but keeps the volume.
     */
    reset() {
      brightness = 1;
      video.style.filter = "";
      setSpeed(1);
      video.loop = false;
      playback.refresh();
      feedback.clear();
    },
  };
}

export interface Range {
  min: number;
  max: number;
}

export function clamp(value: number, { min, max }: Range): number {
  return Math.min(Math.max(value, min), max);
}
