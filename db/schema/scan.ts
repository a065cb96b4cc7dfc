/** What SCAN_COMMAND said about a file, until somebody has decided about it. */
export interface ScanFindingsTable {
  /** The video, or the row of `video_files` that replaces its file. */
  video_id: string;
  /** `unchecked`: the command came to no result, and runs again. */
  verdict: "hold" | "refuse" | "unchecked";
  /** What the command printed, or why there is no result. Not trusted. */
  reason: string;
  /** ISO 8601 UTC. */
  found_at: string;
}
