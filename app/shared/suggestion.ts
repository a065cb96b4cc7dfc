/** A suggestion of the search field in the header. */
export interface Suggestion {
  kind: "tag" | "video";
  text: string;
  /** A path of this site. */
  href: string;
}

export const MAX_SUGGESTIONS = 8;
