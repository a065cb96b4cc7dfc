/** The data of a video card: plain values that a loader can serialize. */
export interface VideoCardData {
  id: string;
  title: string;
  /** The current id, or the stored value if it is no known category. */
  category: string;
  /** minutes:seconds */
  duration: string;
  views: number;
  /** ISO 8601 UTC */
  createdAt: string;
  /** A path on this site, or null for the placeholder. */
  thumbnailUrl: string | null;
  /** The average colors of the image's quarters, 24 hexadecimal digits: top row, then bottom row. */
  posterColors?: string;
  /** The source of the hover preview: a generated clip or the video's own file; empty if there is neither. */
  previewUrl: string;
  /** Whether `previewUrl` is a generated clip, which starts at its beginning. */
  previewIsClip?: true;
}

/** One page of a list, clamped to the existing pages. */
export interface VideoPage {
  videos: VideoCardData[];
  /** 1 to pageCount; 1 when the list is empty. */
  page: number;
  pageCount: number;
  total: number;
}
