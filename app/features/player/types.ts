import type { Chapter } from "~/shared/timestamps";

/** What the player needs to know about a video. Plain values, so that a loader can hand them over. */
export interface PlayerVideo {
  /** When it changes, everything resets: time, speed, brightness, sources. */
  id: string;
  title: string;
  /** The page of the video, which the mini player leads back to; without it there is none. */
  href?: string;
  /** The progressive file; the playlist while there is no file yet; empty when the video has neither. */
  fileUrl: string;
  /** There is no file yet because it is being converted. */
  preparing?: boolean;
  /** The adaptive playlist is being made; browsers play it that can't decode the file. */
  streamIsComing?: boolean;
  posterUrl?: string | null;
  /** The adaptive playlist (master.m3u8), when there is one. */
  hlsUrl?: string;
  /** Where the rendition that it begins with does, to be asked for at once. */
  streamStart?: StreamStart;
  /** WebVTT whose cues point into sprites (`sheet.webp#xywh=0,0,160,90`). */
  storyboardUrl?: string;
  captions?: CaptionTrack[];
  /** How loud the video is: LUFS of the whole (EBU R128), and its highest peak in dBTP. */
  sound?: { lufs: number; truePeak: number };
  /** Where the address of the page asks to start; 0 for the beginning. */
  startSeconds?: number;
  /** In their order, the first at 0. */
  chapters?: Chapter[];
  /** Shown as the total until the file has told its own. */
  durationSeconds?: number;
  /** What is offered at the end, with a countdown that can be cancelled. */
  next?: NextVideo;
}

export interface FileStart {
  playlistUrl: string;
  segmentUrl: string;
  /** From the beginning of the segment's file to the end of the first segment. */
  bytes: number;
}

export interface StreamStart extends FileStart {
  /** Of the sound, where it is in a file of its own. */
  sound?: FileStart;
}

export interface CaptionTrack {
  /** WebVTT, of this site. */
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

/** What is played on the page, or goes on in the corner of it; a card's preview is neither. */
export const PLAYED = ".player video, .mini-player video";

/** What of a video is needed to say which parts of it were played. */
export interface WatchedVideo {
  id: string;
  /** As the catalogue has it; 0 where nobody knows it. */
  durationSeconds: number;
  /** Only a stream is there, which may still be made: the element may know only a part of it. */
  isGrowing: boolean;
}
