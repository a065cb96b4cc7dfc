import { settings } from "~/platform/settings.server";

/**
 * All personal data in the database: what it is, why it is stored, and for how long. The privacy page displays this
 * list, and a test fails if the schema has a column that is listed neither here nor in `impersonal-columns.ts`.
 */
interface KeptData {
  what: string;
  why: string;
  /** The retention period as a sentence, or a function if it depends on a setting. */
  howLong: string | (() => string);
  /** The columns that contain the data, by table. */
  columns: Readonly<Record<string, string>>;
}

export interface KeptGroup {
  /** The people whom the data is about. */
  title: string;
  lead: string;
  kept: readonly KeptData[];
}

const DAY_MS = 86_400_000;
const WHILE_ACCOUNT =
  "As long as the account exists. When an owner of the site deletes it, its email address is removed everywhere, and its past actions are linked only to the account’s ID.";

/** Returns a duration such as "90 days". */
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
        what: "The report’s text, all messages about it, the reporter’s name and email address if provided, and moderators’ notes",
        why: "To decide what happens to the video, and to inform both sides. This data is encrypted, except for the reasons that moderators add to the video.",
        howLong: () =>
          `Deleted ${daysOf(settings().reportKeepMs)} after the report is closed, or earlier on request. If a moderator has to preserve evidence, it is kept for a year or longer.`,
        columns: {
          reports: "payload mail_link",
          report_messages: "id report_id author sent_at payload",
        },
      },
      {
        what: "The fact that there was a report: its kind, its videos, the date, and the decision",
        why: "To publish the number of reports on the transparency page. This data contains nothing about the reporter.",
        howLong: "Permanently.",
        columns: {
          reports: "id kind state decision received_at due_at closed_at erased_at",
          report_videos: "report_id video_id decision decided_at file_changed_at",
        },
      },
      {
        what: "The title of each video that was removed because of a report, as part of its block list entry",
        why: "So that moderators can recognize the entry. A title may contain a person’s name.",
        howLong: () => `Deleted ${daysOf(settings().reportKeepMs)} after the removal.`,
        columns: { blocked_videos: "title" },
      },
      {
        what: "Unsent emails to reporters",
        why: "To send updates about a report once the mail server is available. A hash of the address is kept in memory for a day, so that nobody can use the site to send emails to strangers.",
        howLong: "Until they are sent, or sending them has failed permanently.",
        columns: { outbox: "id report_id event channel attempts next_at reason" },
      },
    ],
  },
  {
    title: "People shown in the videos",
    lead: "Only if the site keeps records of their age and consent, as the law requires.",
    kept: [
      {
        what: "Legal name and date of birth (both encrypted); stage names; which document was checked, when and by whom",
        why: "To prove that they were adults, and to find their record.",
        howLong: "Until the record is deleted, which they can request.",
        columns: {
          performers:
            "id stage_names sort_name payload document_kind checked_on checked_by created_at updated_at",
          performer_names: "name performer_id",
        },
      },
      {
        what: "Encrypted copies of documents and signed releases",
        why: "To prove age and consent. Only owners of the site can open them, and each access is logged.",
        howLong:
          "Until they are deleted. Copies in backups are kept until the backups are replaced.",
        columns: {
          performer_documents: "id performer_id kind type bytes file_key added_at added_by stored",
        },
      },
      {
        what: "The videos in which they appear, their consent for each video, and when the consent ends",
        why: "To hide a video when the consent ends.",
        howLong:
          "As long as the video exists, plus 30 days in the trash. Preserved evidence is kept for a year or longer.",
        columns: {
          video_consents: "video_id kind people recorded_on ends_on updated_at updated_by",
          video_performers: "video_id performer_id of_age",
        },
      },
    ],
  },
  {
    title: "People who manage the videos",
    lead: "The few people who have an account. Nobody needs one to watch.",
    kept: [
      {
        what: "Email address, password hash, role, upload limits, and when the account was created or deactivated",
        why: "To sign in.",
        howLong: WHILE_ACCOUNT,
        columns: {
          users:
            "id email password_hash role may_publish created_at deactivated_at access_ended_at max_bytes max_videos_per_day max_queued_jobs",
        },
      },
      {
        what: "The second factor, recovery codes (as hashes), and passkeys (public keys) with their names",
        why: "To make sign-in more secure.",
        howLong: "Until they are removed. Single-use codes are deleted when they are used.",
        columns: {
          users: "totp_secret totp_enabled_at totp_last_step",
          recovery_codes: "user_id code_hash",
          passkeys: "id user_id rp_id name public_key counter synced created_at last_used_at",
          spent_challenges: "hash expires_at",
        },
      },
      {
        what: "Their sessions: browser and operating system, start, and last use",
        why: "So that they can see their sessions and end them from another device.",
        howLong: "Until they sign out, or until 30 days after the last use.",
        columns: { sessions: "id_hash user_id created_at last_used_at expires_at device" },
      },
      {
        what: "The last ten browsers in which they signed in: a random number and the time for each",
        why: "So that failed sign-in attempts in other browsers don’t lock them out.",
        howLong: "Until 400 days after the last sign-in in that browser.",
        columns: { devices: "id user_id used_at" },
      },
      {
        what: "Invitations, with an email address and a role",
        why: "To create an account with a link that works once.",
        howLong:
          "For 48 hours, while the link works, and another 30 days, so that anyone who opens it later sees why it no longer works.",
        columns: {
          invitations: "token_hash email role may_publish invited_by created_at expires_at used_at",
        },
      },
      {
        what: "API tokens (as hashes) with their names, and the responses to API calls with an idempotency key",
        why: "To let their own software use the site.",
        howLong: "Tokens until they are revoked, responses for one day.",
        columns: {
          api_tokens: "id token_hash user_id name scopes created_at expires_at last_used_at",
          api_answers: "token_id key request status headers body created_at",
        },
      },
      {
        what: "The result of each published upload: its id, the account, and the title and status of the video",
        why: "So that a request that is repeated after a lost connection gets the same response.",
        howLong: "One week.",
        columns: { published_uploads: "upload user_id outcome published_at" },
      },
      {
        what: "What they did in the studio: uploads, changes, deletions, decisions",
        why: "So that everyone who manages the videos can see what happened.",
        howLong:
          "The last 100,000 entries. Decisions about reports are kept permanently, in a log that can’t be changed.",
        columns: {
          activities: "id user_id action subject_id detail created_at",
          moderation_log: "id at action report_id video_id user_id detail",
          backups: "user_id",
          tag_changes: "user_id",
        },
      },
      {
        what: "The owner of a video: the account’s ID, which is also part of the URLs of the video’s files",
        why: "So that uploaders can manage their own videos.",
        howLong:
          "As long as the video exists, plus 30 days in the trash. Preserved evidence is kept for a year or longer.",
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
        what: "Imports from a URL: the account and the URL",
        why: "To run the import with the permissions of that account, and to show its result.",
        howLong: "Until 30 days after the import has ended.",
        columns: { downloads: "user_id address" },
      },
      {
        what: "Which version of the upload terms was accepted for a video, by whom and when; who wrote each version",
        why: "To prove what an uploader agreed to, even after they have deleted the video.",
        howLong:
          "Until one year after the video is permanently deleted. Versions of the terms are kept permanently.",
        columns: {
          accepted_terms: "id video_id subject version user_id accepted_at video_gone_at",
          upload_terms: "created_by",
        },
      },
      {
        what: "Moderators’ decisions about their videos, with the videos’ titles and the reasons (encrypted)",
        why: "So that uploaders can read them on their account page, even after the video is gone.",
        howLong: () =>
          `Deleted ${daysOf(settings().reportKeepMs)} after the decision, but not before the report is closed.`,
        columns: {
          uploader_decisions: "id user_id report_id video_id decision decided_at payload",
        },
      },
      {
        what: "An uploader’s strikes and their reasons",
        why: "To warn uploaders before their account is blocked. They can read them on their account page.",
        howLong: "As long as the account exists. Each strike counts for 90 days.",
        columns: {
          user_strikes: "id user_id reason given_by given_at ends_at withdrawn_at",
        },
      },
      {
        what: "Preview links, notes about drafts, and their own templates and saved views",
        why: "To work together efficiently.",
        howLong:
          "Notes and links are kept as long as the video exists, notes about a report as long as the report’s text, saved views until they are deleted, and templates until 30 days after they are deleted.",
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

/** Returns the list for the privacy page. */
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
