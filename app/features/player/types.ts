import type { Chapter } from "~/shared/timestamps";

/** The player's input for a video. Plain values, so that a loader can return them. */
export interface PlayerVideo {
  /** A new id resets everything: time, speed, brightness, sources. */
  id: string;
  title: string;
  /** URL of the video's page, for the mini player; without it there is no mini player. */
  href?: string;
  /** The progressive file; the playlist while there is no file yet; empty when the video has neither. */
  fileUrl: string;
  /** Whether the file is missing because it is still being converted. */
  preparing?: boolean;
  /** Whether the adaptive playlist is being encoded, for browsers that can't decode the file. */
  streamIsComing?: boolean;
  posterUrl?: string | null;
  /** The adaptive playlist (master.m3u8), when there is one. */
  hlsUrl?: string;
  /** The beginning of the first rendition to play, to be requested immediately. */
  streamStart?: StreamStart;
  /** WebVTT whose cues point into sprites (`sheet.webp#xywh=0,0,160,90`). */
  storyboardUrl?: string;
  captions?: CaptionTrack[];
  /** Integrated loudness of the video in LUFS (EBU R128), and its highest true peak in dBTP. */
  loudness?: { lufs: number; truePeak: number };
  /** Start time from the page's URL; 0 for the beginning. */
  startSeconds?: number;
  /** In chronological order, the first at 0. */
  chapters?: Chapter[];
  /** Shown as the total time until the metadata has loaded. */
  durationSeconds?: number;
  /** Offered at the end with a countdown that can be canceled. */
  next?: NextVideo;
}

export interface FileStart {
  playlistUrl: string;
  segmentUrl: string;
  /** Bytes from the beginning of the file to the end of the first segment. */
  bytes: number;
}

export interface StreamStart extends FileStart {
  /** The audio, if it is in a separate file. */
  audio?: FileStart;
}

export interface CaptionTrack {
  /** URL of a WebVTT file on this site. */
  url: string;
  /** BCP 47, such as `en`. */
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

/** Selector for the page's player and the mini player, but not for a card's hover preview. */
export const PLAYER_VIDEO_SELECTOR = ".player video, .mini-player video";

/** The properties of a video that are needed to report which parts were played. */
export interface WatchedVideo {
  id: string;
  /** Duration from the catalogue; 0 when unknown. */
  durationSeconds: number;
  /** Whether there is only a stream, which may still be encoding, so the element may know only part of it. */
  isGrowing: boolean;
}
