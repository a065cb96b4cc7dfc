import type { Generated, GeneratedAlways, Selectable } from "kysely";

/** Reports, holds, the block list, consent records and reviews. */
export interface ModerationTables {
  /** What those who work on a draft write to each other. */
  review_notes: {
    id: Generated<number>;
    video_id: string;
    user_id: string | null;
    text: string;
    created_at: Time;
  };
  /** A link with which anybody sees a video that is not published, until it is revoked. */
  preview_links: {
    /** SHA-256 of the token in the link. */
    token_hash: string;
    video_id: string;
    created_by: string | null;
    created_at: Time;
    views: Generated<number>;
    last_viewed_at: Time | null;
  };
  /** What somebody reported. */
  reports: {
    id: string;
    kind: ReportKind;
    state: Generated<ReportState>;
    /** The gravest decision on one of its videos; null if there is none. */
    decision: ReportDecision | null;
    received_at: Time;
    due_at: Time;
    closed_at: Time | null;
    /** When what was typed was deleted. */
    erased_at: Time | null;
    /** Everything that was typed, encrypted; null once it is erased. */
    payload: string | null;
    /** Null until an email was sent, "sent" until its link was opened. */
    mail_link: "sent" | "opened" | null;
    /** The alerts that included it; null until then, and again once it is reopened. */
    urgent_alert_id: string | null;
    due_alert_id: string | null;
    overdue_alert_id: string | null;
  };
  /** The videos that a report names; they may be gone. Unlike the texts, they stay when the report is erased. */
  report_videos: {
    report_id: string;
    video_id: string;
    /** Null while the video waits for a decision. */
    decision: VideoDecision | null;
    decided_at: Time | null;
    /** When the video got another video after it was reported. */
    file_changed_at: Time | null;
  };
  /** What the reporter and the moderators wrote to each other; gone once the report is erased. */
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
    /** Of the video that was removed here; it may be gone. Null for what was imported. */
    video_id: string | null;
    reason: BlockReason;
    /** ISO 8601 UTC. */
    blocked_at: string;
    /**
     * `waiting`: the file is kept until its frames are hashed. `few`: hashing failed, and only frames from an earlier
     * comparison are known. `none`: only its bytes are known.
     */
    state: "waiting" | "ready" | "few" | "none";
    /** The path of the file in the bucket `videos`. */
    file: Generated<string | null>;
    attempts: Generated<number>;
    /** Of an imported list of digests; null for a video. */
    digests: Generated<number | null>;
    /** Of the video that was removed here, until REPORT_KEEP after that; of a list of digests, the name of its file. */
    title: Generated<string | null>;
    /** When it was removed from the list, ISO 8601 UTC; null while it is on it. */
    removed_at: Generated<string | null>;
    /** Seconds to the first frame. */
    first: Generated<number>;
    /** Seconds between two frames. */
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
  /** A video that looks like a blocked video. */
  block_list_matches: {
    video_id: string;
    blocked_video_id: number;
    /** ISO 8601 UTC. */
    found_at: string;
    /** When somebody said that it is another video, ISO 8601 UTC. */
    dismissed_at: string | null;
  };
  /** What a video shows, to be compared with blocked ones. */
  video_frames: {
    video_id: string;
    /** Seconds to the first frame. */
    first: number;
    /** Seconds between two frames. */
    step: number;
    /** See `hashComparedFrame` in `processing/comparison`. */
    frames: Uint8Array;
  };
  /** What moderators and rules of the site did. Append-only. */
  moderation_log: {
    id: GeneratedAlways<number>;
    at: Time;
    action: string;
    report_id: string | null;
    video_id: string | null;
    user_id: string | null;
    /** A JSON object without names and without texts that somebody typed. */
    detail: string;
  };
  /** Why a video isn't public, one cause a row. The video may be in the trash, or gone. */
  video_holds: {
    video_id: string;
    reason: HoldReason;
    /** Which report, blocked account or entry of the block list, or what is wrong with the record; else empty. */
    source_id: Generated<string>;
    since: Time;
  };
  /** A report that is preserved, with its texts and its videos. */
  preserved_reports: {
    report_id: string;
    until: Time;
  };
  /** A video that such a report preserves. */
  preserved_videos: {
    video_id: string;
    report_id: string;
  };
  /** Somebody who is shown in videos. */
  performers: {
    id: string;
    /** One a line, the first is what lists show. */
    stage_names: string;
    /** The first of them as lists are ordered by. */
    sort_name: string;
    /** Legal name and date of birth, encrypted. */
    payload: string;
    document_kind: (typeof IDENTITY_DOCUMENTS)[number] | null;
    /** The day on which somebody compared the document with the person; null while nobody has. */
    checked_on: Day | null;
    checked_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
  /** Each stage name, and what follows each of its spaces, as searches compare them. */
  performer_names: {
    name: string;
    performer_id: string;
  };
  /** An encrypted file in UPLOADS_DIR/documents, named by its id. */
  performer_documents: {
    id: string;
    performer_id: string;
    kind: (typeof DOCUMENT_KINDS)[number];
    type: "application/pdf" | "image/jpeg" | "image/png";
    /** Before it was encrypted. */
    bytes: number;
    /** The key of the file, encrypted itself. */
    file_key: string;
    added_at: Time;
    added_by: string | null;
    /** 1 once the file is in the store. */
    stored: Generated<0 | 1>;
  };
  /** What is recorded about a video. */
  video_consents: {
    video_id: string;
    kind: (typeof RELEASE_KINDS)[number];
    /** How many are shown. */
    people: number;
    recorded_on: Day;
    /** From this day on it is not valid; null without an end. */
    ends_on: Day | null;
    updated_at: Time;
    updated_by: string | null;
    /** The alert that it ends soon; null until then, and again once `ends_on` changes or the alert is resolved. */
    expiry_alert_id: string | null;
  };
  video_performers: {
    video_id: string;
    performer_id: string;
    /** 1 when they were 18 on the day of recording. */
    of_age: 0 | 1;
  };
  /** Has its row while a record is required of what is published; triggers go by it. */
  consent_requirement: {
    id: 1;
  };
}

/** ISO 8601 UTC. */
type Time = string;

export const REPORT_KINDS = ["copyright", "consent", "under-age", "private", "other"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** open: waits for a moderator. asked: waits for the reporter. */
export type ReportState = "open" | "asked" | "closed";

/** What closes a report for one of its videos. */
export type VideoDecision = "keep" | "remove" | "restore";

/** What closes a report. not-here: none of its videos is on the site. */
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

/** Why a video was blocked: the kinds of reports. */
export const BLOCK_REASONS = ["copyright", "consent", "under-age", "private", "other"] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** YYYY-MM-DD in UTC. */
type Day = string;

export const IDENTITY_DOCUMENTS = [
  "passport",
  "identity-card",
  "driving-licence",
  "other",
] as const;
export const DOCUMENT_KINDS = ["identity", "release", "other"] as const;
export const RELEASE_KINDS = ["own", "release", "licensed"] as const;

export type PerformerRow = Selectable<ModerationTables["performers"]>;
export type PerformerDocumentRow = Selectable<ModerationTables["performer_documents"]>;
export type VideoConsentRow = Selectable<ModerationTables["video_consents"]>;
