import { encryptMessage, encryptReport } from "~/features/moderation/reports/report-records.server";
import { statusPath } from "~/features/moderation/reports/status-token.server";
import { encryptDecision } from "~/features/moderation/reports/uploader-decisions.server";
import { DEFAULT_TERMS } from "~/features/moderation/uploaders/terms";
import { ADMIN, type SiteProcess } from "../site-process";
import { REPORT } from "./admin-screens";
import { inDays } from "./days";
import type { SampleReports } from "./screen";

/** Reports, decisions, strikes and terms. If a report has a status page, its ID is as long as a real one. */

const QUESTION_OPEN = "a-report-with-question";
const DECIDED = "a-report-that-is-done-";

const COMPLAINT = "I am in this video from 0:40, and I never agreed to it being shown.";
const QUESTION =
  "Thank you. There are two people in that scene.\n\nWhich of them are you? Have you asked the uploader to take it down?";
const ANSWER = "The one in the red coat. I wrote to them in March, and they never replied.";

/**
 * Adds an open report, a report with an open question, and a report that has been decided. Returns the status pages of
 * the last two.
 */
export function addReports(site: SiteProcess, hidden: string, shown: string): SampleReports {
  const database = site.database();
  const add = database.prepare(
    `INSERT INTO reports (id, kind, state, decision, received_at, due_at, closed_at, payload)
     VALUES (@id, @kind, @state, @decision, @received, @due, @closed, @payload)`,
  );
  const addVideo = database.prepare(
    "INSERT INTO report_videos (report_id, video_id, decision, decided_at) VALUES (?, ?, ?, ?)",
  );
  const report = (id: string, video: string, more: Record<string, string | null> = {}) => {
    const where = `${site.url}/video/${video}`;
    const payload = encryptReport({
      ...{ name: "A. Shown", email: "", where, what: COMPLAINT },
      statements: ["This information is true to the best of my knowledge."],
    });
    const times = { received: inDays(-1), due: inDays(1), closed: null };
    const state = { kind: "consent", state: "open", decision: null };
    add.run({ id, payload, ...times, ...state, ...more });
    addVideo.run(id, video, more.decision ?? null, more.closed ?? null);
  };
  report(REPORT, hidden);
  report(QUESTION_OPEN, shown, { kind: "private", state: "asked", due: inDays(6) });
  const closed = { state: "closed", decision: "remove", closed: inDays(-2) };
  report(DECIDED, hidden, { ...closed, received: inDays(-3), due: inDays(-1) });
  const addMessage = database.prepare(
    "INSERT INTO report_messages (id, report_id, author, sent_at, payload) VALUES (?, ?, ?, ?, ?)",
  );
  const messages: [report: string, author: string, at: number, text: string][] = [
    [QUESTION_OPEN, "moderator", -0.5, QUESTION],
    [DECIDED, "moderator", -2.6, QUESTION],
    [DECIDED, "reporter", -2.4, ANSWER],
    [DECIDED, "site", -2, "A moderator has removed the video."],
    [
      DECIDED,
      "moderator",
      -2,
      "You are right. The video is blocked, so it can't be uploaded again.",
    ],
  ];
  for (const [index, [id, author, at, text]] of messages.entries()) {
    addMessage.run(`message-${index}`, id, author, inDays(at), encryptMessage(text));
  }
  return { asked: statusPath(QUESTION_OPEN), decided: statusPath(DECIDED) };
}

/** Adds decisions about the admin's own videos, and strikes. The admin's account page shows both. */
export function addDecisionsAndStrikes(site: SiteProcess, shown: string): void {
  const database = site.database();
  const decide = database.prepare(
    `INSERT INTO uploader_decisions (user_id, report_id, video_id, decision, decided_at, payload)
     SELECT id, @report, @video, @decision, @at, @payload FROM users WHERE email = @email`,
  );
  const decision = (video: string, name: string, title: string, reason: string, days: number) =>
    decide.run({
      ...{ report: DECIDED, video, decision: name, at: inDays(days), email: ADMIN.email },
      payload: encryptDecision({ title, reason }),
    });
  const evening =
    "An evening by the river, with a long name that takes more than one line on a phone";
  decision(shown, "keep", "A walk at noon", "Everyone shown has agreed, as the release says.", -9);
  decision(
    "gone",
    "hide",
    evening,
    "Someone shown says that they never agreed. We have asked them for details.",
    -3,
  );
  const removed =
    "The person shown in the red coat never agreed to this.\n\nPlease ask everyone before you upload a video.";
  decision("gone", "remove", evening, removed, -2);
  const strike = database.prepare(
    `INSERT INTO user_strikes (id, user_id, reason, given_by, given_at, ends_at, withdrawn_at)
     SELECT @id, id, @reason, id, @given, @ends, @withdrawn FROM users WHERE email = @email`,
  );
  const about = { email: ADMIN.email, withdrawn: null };
  const reason = "The person shown in the red coat never agreed to this.";
  strike.run({ ...about, id: "counts", reason, given: inDays(-2), ends: inDays(88) });
  const expired = { ...about, reason: "Someone else owns the rights to the video." };
  strike.run({ ...expired, id: "over", given: inDays(-200), ends: inDays(-110) });
  const withdrawn = { given: inDays(-20), ends: inDays(70), withdrawn: inDays(-18) };
  strike.run({ ...about, ...withdrawn, id: "back", reason: "Uploaded twice." });
}

/** Adds two versions of the uploaders' terms, without requiring uploaders to accept them. */
export function addTerms(site: SiteProcess): void {
  const add = site.database().prepare(
    `INSERT INTO upload_terms (version, text, created_at, created_by)
     SELECT ?, ?, ?, id FROM users LIMIT 1`,
  );
  add.run(1, "Everyone shown is 18 or older and has agreed.", inDays(-60));
  add.run(2, DEFAULT_TERMS, inDays(-2));
}
