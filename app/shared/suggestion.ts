/** What the search field of the header offers while one types. */
export interface Suggestion {
  kind: "tag" | "video";
  text: string;
  /** A path of this site. */
  href: string;
}

export const MAX_SUGGESTIONS = 8;
