import type { Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** Versions of what uploaders agree to, from 1; none is ever changed or deleted. */
export interface UploadTermsTable {
  version: number;
  text: string;
  created_at: Time;
  created_by: string | null;
}

/** One row. */
export interface UploadTermsStateTable {
  id: 1;
  /** Null while nobody is asked to accept them. */
  required_since: Time | null;
}

/** Who has accepted which version for a video. */
export interface AcceptedTermsTable {
  id: Generated<number>;
  video_id: string;
  /** `file`: for another file of the video. */
  subject: "video" | "file";
  version: number;
  user_id: string | null;
  accepted_at: Time;
  /** When the video was found to be deleted for good. */
  video_gone_at: Time | null;
}

/** What moderators have decided about a video, for who uploaded it. */
export interface UploaderDecisionsTable {
  id: Generated<number>;
  user_id: string;
  report_id: string;
  /** It may be gone. */
  video_id: string;
  decision: "hide" | "keep" | "remove" | "counter-notice" | "restore";
  decided_at: Time;
  /** The title of the video and the reason, encrypted. */
  box: string;
}
