import { attemptLimit } from "~/platform/attempt-limit.server";
import { type Email, sendEmail } from "~/platform/mail/email.server";
import { settings } from "~/platform/settings.server";
import { transaction } from "~db/client.server";
import { sendDue } from "~db/outbox.server";
import { every } from "~db/runtime.server";
import type { ReportNotice } from "~db/schema/operations";
import { changeInBatches } from "~db/threads/checkpoint.server";
import {
  eraseReport,
  mailSender,
  noteMailLink,
  type Report,
  readReport,
  reportsToErase,
} from "./report-records.server";
import { FIRST_MAIL_TEXT, MAIL_TEXTS } from "./report-texts";
import { readStatusToken, statusPath } from "./status-token.server";
import { forgetDecisions } from "./uploader-decisions.server";

const EVERY_MS = 60_000;
const FIRST_MS = 8_000;

/** Starts to send emails to reporters and to delete old texts, once a minute. */
export function startReports(): void {
  const work = async () => {
    await eraseDue();
    await forgetDecisions();
    await sendReportMails();
  };
  every(EVERY_MS, "send the mails to reporters or delete old texts", work, { firstMs: FIRST_MS });
}

/**
 * Deletes the texts of reports that were closed REPORT_KEEP ago.
 *
 * @returns how many.
 */
export function eraseDue(now = Date.now()): Promise<number> {
  return changeInBatches(
    () => reportsToErase(now),
    (due) => due.filter((id) => eraseReport(id, now)).length,
  );
}

/** Sends the emails whose time has come. Without a mail server they wait. */
export async function sendReportMails(now = Date.now()): Promise<void> {
  if (settings().smtpUrl) await sendDue("report_id", (message) => send(message, now), now);
}

async function send(message: ReportNotice, now: number): Promise<(() => void) | undefined> {
  const { smtpUrl } = settings();
  const from = mailSender();
  const { report_id } = message;
  const report = readReport(report_id);
  // If the report can't be read, the email waits, as after any failure.
  const to = report?.payload && report.payload !== "unreadable" ? report.payload.email : undefined;
  if (!report || !smtpUrl || !from || !to) throw new Error("It has no sender or no recipient.");
  const allowed = allowEmail(report, to, now);
  // The reporter finds everything behind the link that they have.
  if (!allowed) return;
  const { mailLink, giveBack } = allowed;
  try {
    await sendEmail(smtpUrl, { from, to }, emailOf(message, mailLink === "sent"));
  } catch (error) {
    giveBack();
    throw error;
  }
  return () => noteMailLink(report_id, mailLink);
}

/** @param isFirst whether the reporter has to open the link to get further emails. */
function emailOf({ id, report_id, event }: ReportNotice, isFirst: boolean): Email {
  const { siteName, publicUrl } = settings();
  const [subject, message] = MAIL_TEXTS[event];
  const path = statusPath(report_id, "email");
  const link = publicUrl ? `${publicUrl}${path}` : `the address of the site, followed by ${path}`;
  const further = isFirst ? `${FIRST_MAIL_TEXT}\n\n` : "";
  return {
    id,
    subject: `${siteName}: ${subject}`,
    text: `${message}\n\nCheck its status or reply here: ${link}\n\n${further}Don't share this link. Anyone who has it can read your report and answer for you.\n`,
  };
}

/**
 * Whom the site may email about a report. Anybody can enter a stranger's address in the form, so an address gets one
 * first email a day, and further ones only after the link in an email was opened. The link that the sender of the form
 * sees is another one.
 *
 * Addresses are counted in memory only, as digests.
 */

const DAY_SECONDS = 86_400;
/** Also after a link was opened: some mail servers open links to scan them. */
const MAX_EMAILS_PER_DAY = 50;

const firstEmails = attemptLimit("first emails by recipient", 1, DAY_SECONDS);
const emails = attemptLimit("emails by recipient", MAX_EMAILS_PER_DAY, DAY_SECONDS);
/** Whose link was opened: their other reports need no first email. */
const openings = attemptLimit("opened links by recipient", 1, DAY_SECONDS);

interface AllowedEmail {
  /** What `mail_link` becomes once it is sent. */
  mailLink: "sent" | "opened";
  /** Uncounts an email that was not sent. */
  giveBack(): void;
}

/** Counts an email about a report. Returns undefined if the address must not get it. */
function allowEmail(report: Report, address: string, now = Date.now()): AllowedEmail | undefined {
  const recipient = recipientOf(address);
  const isOpened =
    report.mailLink === "opened" || openings.attempts(address.toLowerCase(), now) > 0;
  if (!isOpened) {
    if (report.mailLink === "sent") return undefined;
    if (firstEmails.consume(recipient, now) !== undefined) return undefined;
  }
  const giveBack = () => {
    emails.refund(recipient);
    if (!isOpened) firstEmails.refund(recipient);
  };
  if (emails.consume(recipient, now) === undefined) {
    return { mailLink: isOpened ? "opened" : "sent", giveBack };
  }
  if (!isOpened) firstEmails.refund(recipient);
  return undefined;
}

/** Records that a status link was opened, if it is the one of an email. */
export async function noteOpening(token: string): Promise<void> {
  const link = readStatusToken(token);
  const report = link?.origin === "email" ? readReport(link.id) : undefined;
  if (!report?.payload || report.payload === "unreadable") return;
  openings.consume(report.payload.email.toLowerCase());
  if (report.mailLink !== "opened") await transaction(() => noteMailLink(report.id, "opened"));
}

/** Many providers deliver `ada+1@` and `a.da@` to `ada@`: otherwise one mailbox would have any number of addresses. */
function recipientOf(address: string): string {
  const [name = "", host = ""] = address.toLowerCase().split("@");
  return `${name.replace(/\+.*$/, "").replaceAll(".", "")}@${host}`;
}
