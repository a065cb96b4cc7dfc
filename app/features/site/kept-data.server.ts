import { settings } from "~/platform/settings.server";

/**
 * Everything that the database has about persons: what it is, why, and for how long. The privacy page is
 * rendered from it, and a test compares it with the schema: a column that neither this list nor
 * `impersonal-columns.ts` names fails the suite.
 */
interface KeptData {
  what: string;
  why: string;
  /** How long, in a sentence; by a setting where it depends on one. */
  howLong: string | (() => string);
  /** The columns of each table that have it. */
  columns: Readonly<Record<string, string>>;
}

export interface KeptGroup {
  /** Whose it is. */
  title: string;
  lead: string;
  kept: readonly KeptData[];
}

const DAY_MS = 86_400_000;
const WHILE_ACCOUNT =
  "As long as the account. When an owner deletes it, its e-mail address is removed everywhere, and what it did names its number alone.";

/** Such as "90 days". */
function daysOf(ms: number): string {
  const days = Math.round(ms / DAY_MS);
  return days === 1 ? "1 day" : `${days} days`;
}

export const KEPT_GROUPS: readonly KeptGroup[] = [
  {
    title: "People who report a video",
    lead: "Only what they type, and only if they report something.",
    kept: [
      {
        what: "The texts of the report and of the answers, with a name and an e-mail address where they are given, and what moderators wrote about it",
        why: "To decide about the video, and to tell both sides what was decided. It is encrypted, but for the reasons that moderators note on the video.",
        howLong: () =>
          `Deleted ${daysOf(settings().reportKeepMs)} after the report is closed, or before that when they ask for it. A moderator who has to preserve evidence keeps it for a year, or longer.`,
        columns: {
          reports: "payload mail_link",
          report_messages: "id report_id author sent_at payload",
        },
      },
      {
        what: "That there was a report: its kind, its videos, when it came, and what was decided",
        why: "To count reports on the transparency page. It says nothing about who reported.",
        howLong: "For good.",
        columns: {
          reports: "id kind state decision received_at due_at closed_at erased_at",
          report_videos: "report_id video_id decision decided_at file_changed_at",
        },
      },
      {
        what: "The title of a video that was removed because of a report, beside its entry in the block list",
        why: "So that moderators recognize the entry. A title may name a person.",
        howLong: () => `Deleted ${daysOf(settings().reportKeepMs)} after the removal.`,
        columns: { blocked_videos: "title" },
      },
      {
        what: "Mails that are still to be sent, where an e-mail address was given",
        why: "To send word of a report when the mail server answers. A digest of the address is held in memory for a day, so that nobody can have the site send emails to strangers.",
        howLong: "Until they are sent, or given up.",
        columns: { outbox: "id report_id event channel attempts next_at reason" },
      },
    ],
  },
  {
    title: "People shown in the videos",
    lead: "Only where the site keeps records of their age and consent, as laws ask of it.",
    kept: [
      {
        what: "Legal name and date of birth, encrypted; stage names; which document was checked, when and by whom",
        why: "To show that they were adults, and to find their record.",
        howLong: "Until it is deleted, which they can ask for.",
        columns: {
          performers:
            "id stage_names sort_name payload document_kind checked_on checked_by created_at updated_at",
          performer_names: "name performer_id",
        },
      },
      {
        what: "Copies of documents and signed releases, encrypted",
        why: "To prove it. Owners of the site alone open them, and each time is noted in a log.",
        howLong: "Until they are deleted; in backups until these are replaced.",
        columns: {
          performer_documents: "id performer_id kind type bytes file_key added_at added_by stored",
        },
      },
      {
        what: "In which videos they are shown, with what right, and until when",
        why: "To hide a video when that right ends.",
        howLong:
          "As long as the video, and 30 days in the trash; as evidence for a year, or longer.",
        columns: {
          video_consents: "video_id kind people recorded_on ends_on updated_at updated_by",
          video_performers: "video_id performer_id of_age",
        },
      },
    ],
  },
  {
    title: "People who manage the videos",
    lead: "The few who have an account, which nobody needs to watch.",
    kept: [
      {
        what: "E-mail address, the hash of a password, the role, limits of uploads, and when the account was made or deactivated",
        why: "To sign in.",
        howLong: WHILE_ACCOUNT,
        columns: {
          users:
            "id email password_hash role may_publish created_at deactivated_at access_ended_at max_bytes max_videos_per_day max_queued_jobs",
        },
      },
      {
        what: "A second factor, recovery codes (as hashes) and passkeys (their public half) with their names",
        why: "To sign in more safely.",
        howLong: "Until they are removed, or used where that is once.",
        columns: {
          users: "totp_secret totp_enabled_at totp_last_step",
          recovery_codes: "user_id code_hash",
          passkeys: "id user_id rp_id name public_key counter synced created_at last_used_at",
          spent_challenges: "hash expires_at",
        },
      },
      {
        what: "Where they are signed in: the kind of browser and system, since when, and when it was last used",
        why: "So that they see it, and can end it from elsewhere.",
        howLong: "Until they sign out, or 30 days after the last use.",
        columns: { sessions: "id_hash user_id created_at last_used_at expires_at device" },
      },
      {
        what: "The last ten browsers in which they signed in: a random number and a time for each",
        why: "So that somebody who guesses passwords or codes elsewhere doesn't lock them out.",
        howLong: "Until 400 days after the last sign-in there.",
        columns: { devices: "id user_id used_at" },
      },
      {
        what: "Invitations, with an e-mail address and a role",
        why: "To make an account by a link that works once.",
        howLong:
          "One can be used for 48 hours, and is kept for 30 days after that, so that whoever uses it later learns why it fails.",
        columns: {
          invitations: "token_hash email role may_publish invited_by created_at expires_at used_at",
        },
      },
      {
        what: "Tokens of programs (as hashes) with their names, and the answers to calls that may be repeated",
        why: "To let a program of theirs work with the site.",
        howLong: "Until a token is revoked; answers for a day.",
        columns: {
          api_tokens: "id token_hash user_id name scopes created_at expires_at last_used_at",
          api_answers: "token_id key request status headers body created_at",
        },
      },
      {
        what: "The outcome of each upload that was published: its id, the account, the title and the status of the video",
        why: "So that a request that is sent again after a lost connection gets the same answer.",
        howLong: "A week.",
        columns: { published_uploads: "upload user_id outcome published_at" },
      },
      {
        what: "What they did in the studio: uploads, changes, deletions, decisions",
        why: "So that all who manage the videos see what happened.",
        howLong:
          "The last 100,000 entries. Decisions about reports for good: that log cannot be changed.",
        columns: {
          activities: "id user_id action subject_id detail created_at",
          moderation_log: "id at action report_id video_id user_id detail",
          backups: "user_id",
          tag_changes: "user_id",
        },
      },
      {
        what: "Whose a video is: the number of the account, which is also a part of the address of its files",
        why: "So that uploaders work with their own videos.",
        howLong:
          "As long as the video, and 30 days in the trash; as evidence for a year, or longer.",
        columns: {
          videos:
            "uploaded_by video_url source_url thumbnail_url hls_url storyboard_url preview_url generated_poster_url cut_of",
          video_files:
            "user_id video_url source_url thumbnail_url hls_url storyboard_url preview_url generated_poster_url cut_of",
          deleted_videos: "row deleted_by uploaded_by",
          media_files: "path",
          removals: "path",
          stored_files: "path object",
        },
      },
      {
        what: "Imports from an address: who asked for one, and the address",
        why: "To run it with the rights of that account, and to show what became of it.",
        howLong: "Until 30 days after it has ended.",
        columns: { downloads: "user_id address" },
      },
      {
        what: "Which version of the uploaders' terms was accepted for a video, by whom and when; who wrote a version",
        why: "To show what an uploader has agreed to, also when they have deleted the video.",
        howLong:
          "As long as the video, and a year after it was deleted for good. Versions of the terms for good.",
        columns: {
          accepted_terms: "id video_id subject version user_id accepted_at video_gone_at",
          upload_terms: "created_by",
        },
      },
      {
        what: "What moderators have decided about their videos, with the title and the reason, encrypted",
        why: "So that uploaders read it on the page of their account, also when the video is gone.",
        howLong: () =>
          `Deleted ${daysOf(settings().reportKeepMs)} after the decision, and not before the report is closed.`,
        columns: {
          uploader_decisions: "id user_id report_id video_id decision decided_at payload",
        },
      },
      {
        what: "Strikes of an uploader with their reasons",
        why: "To warn uploaders before an account is blocked. They read them on the page of their account.",
        howLong: "As long as the account; they count for 90 days.",
        columns: {
          user_strikes: "id user_id reason given_by given_at ends_at withdrawn_at",
        },
      },
      {
        what: "Notes to each other about drafts, links that show a draft, and templates and views of their own",
        why: "To work together, and faster.",
        howLong:
          "Notes and links as long as the video, notes about a report as long as its texts, views until they are removed, templates for 30 days after that.",
        columns: {
          review_notes: "id video_id user_id text created_at",
          preview_links: "token_hash video_id created_by created_at views last_viewed_at",
          upload_templates: "id user_id name description category tags is_default deleted_at",
          saved_views: "id user_id name parameters",
        },
      },
    ],
  },
];

/** The list as the page shows it. */
export function keptGroups() {
  return KEPT_GROUPS.map(({ title, lead, kept }) => ({
    title,
    lead,
    kept: kept.map(({ what, why, howLong }) => ({
      what,
      why,
      howLong: typeof howLong === "string" ? howLong : howLong(),
    })),
  }));
}
