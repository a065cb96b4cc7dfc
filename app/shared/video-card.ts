/** What a card of a list shows. Plain values, so that it travels from a loader to the browser. */
export interface VideoCardData {
  id: string;
  title: string;
  /** The id of today; what is none of the categories, as another program wrote it. */
  category: string;
  /** minutes:seconds */
  duration: string;
  views: number;
  /** ISO 8601 UTC */
  createdAt: string;
  /** A path of this site, or null for the stock placeholder. */
  thumbnailUrl: string | null;
  /** Of the picture's quarters, 24 hexadecimal digits: two above, two below. */
  posterColors?: string;
  /** What the hover preview plays: a generated clip, or the video's own file; empty when there is neither. */
  previewUrl: string;
  /** `previewUrl` is a generated clip, which starts where a preview does. */
  previewIsClip?: true;
}

/** One page of a list, already clamped to what exists. */
export interface VideoPage {
  videos: VideoCardData[];
  /** 1 to pageCount; 1 when the list is empty. */
  page: number;
  pageCount: number;
  total: number;
}
