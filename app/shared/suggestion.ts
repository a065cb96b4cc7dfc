/** A suggestion shown by the search field in the header. */
export interface Suggestion {
  kind: "tag" | "video";
  text: string;
  /** A path on this site. */
  href: string;
}

export const MAX_SUGGESTIONS = 8;
