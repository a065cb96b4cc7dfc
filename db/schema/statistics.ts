/** What is counted of a film, without any mark of who has watched it. */
export interface WatchedPartsTable {
  video_id: string;
  /** Views in which it was played. */
  views: number;
  /** In how many of them each twentieth of the film was watched, a JSON list of 20. */
  parts: string;
}

/** The file system of the uploads, as it was found last on a day. */
export interface DiskDaysTable {
  /** YYYY-MM-DD, UTC */
  day: string;
  used_bytes: number;
  /** What the site may still use of it. */
  free_bytes: number;
}

/** What was sent of video files on a day, to whomever. */
export interface TransferDaysTable {
  /** YYYY-MM-DD, UTC */
  day: string;
  bytes: number;
}
