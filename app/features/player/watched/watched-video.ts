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
