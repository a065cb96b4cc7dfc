/** The data for a video card: plain values that a loader can serialize. */
export interface VideoCardData {
  id: string;
  title: string;
  /** The category's current id, or the stored value if it isn't a known category. */
  category: string;
  /** minutes:seconds */
  duration: string;
  views: number;
  /** ISO 8601 UTC */
  createdAt: string;
  /** A path on this site, or null for the placeholder. */
  thumbnailUrl: string | null;
  /** The average colors of the image's quarters as 24 hexadecimal digits: first the top row, then the bottom row. */
  posterColors?: string;
  /** The source of the hover preview: a generated clip or the video file itself; empty if neither exists. */
  previewUrl: string;
  /** Whether `previewUrl` is a generated clip, which is played from its beginning. */
  previewIsClip?: true;
}

/** One page of a list. The page number is clamped to the existing pages. */
export interface VideoPage {
  videos: VideoCardData[];
  /** The page number, from 1 to pageCount; 1 if the list is empty. */
  page: number;
  pageCount: number;
  total: number;
}
