import type { Chapter } from "~/shared/timestamps";

/** The data about a video that the player needs. It contains only plain values, so that a loader can return it. */
export interface PlayerVideo {
  /** A new id resets everything: time, speed, brightness, sources. */
  id: string;
  title: string;
  /** The URL of the video's page, for the mini player; without it, there is no mini player. */
  href?: string;
  /** The progressive file, or the playlist if there is no file yet; empty if the video has neither. */
  fileUrl: string;
  /** Whether the file is missing because it is still being converted. */
  preparing?: boolean;
  /** Whether the adaptive playlist is still being encoded, for browsers that can't decode the file. */
  streamIsComing?: boolean;
  posterUrl?: string | null;
  /** The adaptive playlist (master.m3u8), if there is one. */
  hlsUrl?: string;
  /** The beginning of the first rendition to be played. The player requests this part immediately. */
  streamStart?: StreamStart;
  /** A WebVTT file whose cues point into sprites (`sheet.webp#xywh=0,0,160,90`). */
  storyboardUrl?: string;
  captions?: CaptionTrack[];
  /** The video's integrated loudness in LUFS (EBU R128), and its highest true peak in dBTP. */
  loudness?: { lufs: number; truePeak: number };
  /** The start time from the page's URL; 0 for the beginning. */
  startSeconds?: number;
  /** The chapters in chronological order; the first one starts at 0. */
  chapters?: Chapter[];
  /** Shown as the total time until the metadata has loaded. */
  durationSeconds?: number;
  /** The next video, which is offered at the end with a countdown that the visitor can cancel. */
  next?: NextVideo;
}

export interface FileStart {
  playlistUrl: string;
  segmentUrl: string;
  /** The number of bytes from the beginning of the file to the end of the first segment. */
  bytes: number;
}

export interface StreamStart extends FileStart {
  /** The audio, if it is in a separate file. */
  audio?: FileStart;
}

export interface CaptionTrack {
  /** The URL of a WebVTT file on this site. */
  url: string;
  /** A BCP 47 language tag, such as `en`. */
  language: string;
  label: string;
  default?: boolean;
}

export interface NextVideo {
  title: string;
  href: string;
  thumbnailUrl?: string | null;
  /** minutes:seconds */
  duration?: string;
}

/** The selector for the page's player and the mini player, but not for a card's hover preview. */
export const PLAYER_VIDEO_SELECTOR = ".player video, .mini-player video";

/** The properties of a video that are needed to report which parts of it were played. */
export interface WatchedVideo {
  id: string;
  /** The duration in the catalogue; 0 if unknown. */
  durationSeconds: number;
  /**
   * Whether there is only a stream. It may still be encoding, in which case the element only knows part of the
   * duration.
   */
  isGrowing: boolean;
}
