import type { Generated, GeneratedAlways, Selectable } from "kysely";

/** Reports, holds, the block list, consent records and reviews. */
export interface ModerationTables {
  /** Notes that uploaders and editors exchange about drafts. */
  review_notes: {
    id: Generated<number>;
    video_id: string;
    user_id: string | null;
    text: string;
    created_at: Time;
  };
  /** Links that show an unpublished video to anyone until they are revoked. */
  preview_links: {
    /** The SHA-256 of the token in the link. */
    token_hash: string;
    video_id: string;
    created_by: string | null;
    created_at: Time;
    views: Generated<number>;
    last_viewed_at: Time | null;
  };
  reports: {
    id: string;
    kind: ReportKind;
    state: Generated<ReportState>;
    /** The most severe decision about any of the report's videos; null if there is none. */
    decision: ReportDecision | null;
    received_at: Time;
    due_at: Time;
    closed_at: Time | null;
    /** When the report's text was deleted. */
    erased_at: Time | null;
    /** The encrypted text from the form; null once it has been erased. */
    payload: string | null;
    /** Null until an email is sent; "sent" until someone opens the link in it. */
    mail_link: "sent" | "opened" | null;
    /** The alerts that included the report; null until an alert has included it, and again once it is reopened. */
    urgent_alert_id: string | null;
    due_alert_id: string | null;
    overdue_alert_id: string | null;
  };
  /**
   * The videos in a report, which may have been deleted. Unlike the report's text, they are kept when the report is
   * erased.
   */
  report_videos: {
    report_id: string;
    video_id: string;
    /** The decision; null while the video is waiting for one. */
    decision: VideoDecision | null;
    decided_at: Time | null;
    /** When the video's file was replaced after the report. */
    file_changed_at: Time | null;
  };
  /** Messages between the reporter and the moderators. They are deleted when the report is erased. */
  report_messages: {
    id: string;
    report_id: string;
    author: "reporter" | "moderator" | "site";
    sent_at: Time;
    /** Encrypted. */
    payload: string;
  };
  blocked_videos: {
    id: Generated<number>;
    /** The video that was removed from this site, which may have been deleted; null for an imported entry. */
    video_id: string | null;
    reason: BlockReason;
    /** ISO 8601 UTC. */
    blocked_at: string;
    /**
     * `waiting`: the file is kept until its frames have been hashed. `few`: hashing failed, and only frames from an
     * earlier comparison are known. `none`: only the file's digest is known.
     */
    state: "waiting" | "ready" | "few" | "none";
    /** The file's path in the `videos` bucket. */
    file: Generated<string | null>;
    attempts: Generated<number>;
    /** The number of digests in an imported list; null for a video. */
    digests: Generated<number | null>;
    /**
     * The title of the removed video, which is deleted after REPORT_KEEP; for a list of digests, the list's file name.
     */
    title: Generated<string | null>;
    /** When the entry was removed from the list (ISO 8601 UTC); null while it is active. */
    removed_at: Generated<string | null>;
    /** The number of seconds until the first frame. */
    first: Generated<number>;
    /** The number of seconds between two frames. */
    step: Generated<number>;
    /** See `hashBlockedFrame` in `processing/comparison`. */
    frames: Generated<Uint8Array>;
  };
  blocked_files: {
    /** Hexadecimal. */
    sha256: string;
    blocked_video_id: number;
  };
  blocked_md5s: {
    /** Hexadecimal. */
    md5: string;
    blocked_video_id: number;
  };
  /** Videos that look like a blocked video. */
  block_list_matches: {
    video_id: string;
    blocked_video_id: number;
    /** ISO 8601 UTC. */
    found_at: string;
    /** When someone marked the video as a different one (ISO 8601 UTC). */
    dismissed_at: string | null;
  };
  /** Hashed frames of videos, for the comparison with blocked videos. */
  video_frames: {
    video_id: string;
    /** The number of seconds until the first frame. */
    first: number;
    /** The number of seconds between two frames. */
    step: number;
    /** See `hashComparedFrame` in `processing/comparison`. */
    frames: Uint8Array;
  };
  /** Actions by moderators and automatic rules. The table is append-only. */
  moderation_log: {
    id: GeneratedAlways<number>;
    at: Time;
    action: string;
    report_id: string | null;
    video_id: string | null;
    user_id: string | null;
    /** A JSON object without names or text that someone typed. */
    detail: string;
  };
  /** The reasons why a video isn't public, one per row. The video may be in the trash or deleted. */
  video_holds: {
    video_id: string;
    reason: HoldReason;
    /** The report, blocked account or block list entry, or the problem with the consent record; otherwise empty. */
    source_id: Generated<string>;
    since: Time;
  };
  /** Reports whose text and videos must be preserved. */
  preserved_reports: {
    report_id: string;
    until: Time;
  };
  /** The videos that are preserved along with a report. */
  preserved_videos: {
    video_id: string;
    report_id: string;
  };
  /** People who are shown in videos. */
  performers: {
    id: string;
    /** The stage names, one per line. Lists show the first one. */
    stage_names: string;
    /** The first stage name, in the form that is used to sort lists. */
    sort_name: string;
    /** The encrypted legal name and date of birth. */
    payload: string;
    document_kind: (typeof IDENTITY_DOCUMENTS)[number] | null;
    /** The day on which someone compared the document with the person; null if that hasn't happened yet. */
    checked_on: Day | null;
    checked_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
  /** Each stage name, and the rest of the name after each space, in the form that searches compare. */
  performer_names: {
    name: string;
    performer_id: string;
  };
  /** Encrypted files in UPLOADS_DIR/documents, which are named after their ids. */
  performer_documents: {
    id: string;
    performer_id: string;
    kind: (typeof DOCUMENT_KINDS)[number];
    type: "application/pdf" | "image/jpeg" | "image/png";
    /** The size before encryption. */
    bytes: number;
    /** The encrypted key of the file. */
    file_key: string;
    added_at: Time;
    added_by: string | null;
    /** 1 once the file is in the object store. */
    stored: Generated<0 | 1>;
  };
  /** The consent record for each video. */
  video_consents: {
    video_id: string;
    kind: (typeof RELEASE_KINDS)[number];
    /** The number of people shown in the video. */
    people: number;
    recorded_on: Day;
    /** The first day on which the record is invalid; null if it doesn't expire. */
    ends_on: Day | null;
    updated_at: Time;
    updated_by: string | null;
    /**
     * The alert about the record's expiration; null until there is one, and again once `ends_on` changes or the alert
     * is resolved.
     */
    expiry_alert_id: string | null;
  };
  video_performers: {
    video_id: string;
    performer_id: string;
    /** 1 if the performer was at least 18 on the day of the recording. */
    of_age: 0 | 1;
  };
  /**
   * A table with one row while published videos need a consent record. It exists because triggers can't read settings.
   */
  consent_requirement: {
    id: 1;
  };
}

/** ISO 8601 UTC. */
type Time = string;

export const REPORT_KINDS = ["copyright", "consent", "under-age", "private", "other"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** `open`: waiting for a moderator. `asked`: waiting for the reporter. */
export type ReportState = "open" | "asked" | "closed";

/** The decision that closes a report with regard to one of its videos. */
export type VideoDecision = "keep" | "remove" | "restore";

/** The outcome of a report. `not-here`: none of its videos are on the site. */
export type ReportDecision = VideoDecision | "not-here" | "withdrawn";

export type ReportRow = Selectable<ModerationTables["reports"]>;
export type ReportMessageRow = Selectable<ModerationTables["report_messages"]>;

const HOLD_REASONS = [
  "report",
  "removed",
  "consent",
  "block-list",
  "user-blocked",
  "comparing",
  "scan",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** The reasons for blocking a video, which are the same as the kinds of reports. */
export const BLOCK_REASONS = ["copyright", "consent", "under-age", "private", "other"] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** YYYY-MM-DD in UTC. */
type Day = string;

export const IDENTITY_DOCUMENTS = [
  "passport",
  "identity-card",
  "drivers-license",
  "other",
] as const;
export const DOCUMENT_KINDS = ["identity", "release", "other"] as const;
export const RELEASE_KINDS = ["own", "release", "licensed"] as const;

export type PerformerRow = Selectable<ModerationTables["performers"]>;
export type PerformerDocumentRow = Selectable<ModerationTables["performer_documents"]>;
export type VideoConsentRow = Selectable<ModerationTables["video_consents"]>;
