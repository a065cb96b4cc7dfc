import { attemptLimit } from "~/platform/attempt-limit.server";
import { type Email, sendEmail } from "~/platform/mail/email.server";
import { settings } from "~/platform/settings.server";
import { transaction } from "~db/client.server";
import { sendDue } from "~db/outbox.server";
import { every } from "~db/runtime.server";
import type { ReportNotice } from "~db/schema/operations";
import { changeInBatches } from "~db/threads/checkpoint.server";
import {
  emailSender,
  eraseReport,
  type Report,
  readReport,
  reportsToErase,
  setMailLinkState,
} from "./report-records.server";
import { FIRST_MAIL_TEXT, MAIL_TEXTS } from "./report-texts";
import { readStatusToken, statusPath } from "./status-token.server";
import { deleteOldDecisions } from "./uploader-decisions.server";

const EVERY_MS = 60_000;
const FIRST_MS = 8_000;

/** Starts the job that, once a minute, sends emails to reporters and deletes old text. */
export function startReports(): void {
  const work = async () => {
    await eraseDueReports();
    await deleteOldDecisions();
    await sendReportEmails();
  };
  every(EVERY_MS, "send emails to reporters or delete old texts", work, { firstMs: FIRST_MS });
}

/**
 * Deletes the text of reports that were closed longer ago than REPORT_KEEP.
 *
 * @returns the number of reports.
 */
export function eraseDueReports(now = Date.now()): Promise<number> {
  return changeInBatches(
    () => reportsToErase(now),
    (due) => due.filter((id) => eraseReport(id, now)).length,
  );
}

/** Sends the emails that are due. They stay queued if no mail server is configured. */
export async function sendReportEmails(now = Date.now()): Promise<void> {
  if (settings().smtpUrl) await sendDue("report_id", (message) => send(message, now), now);
}

async function send(message: ReportNotice, now: number): Promise<(() => void) | undefined> {
  const { smtpUrl } = settings();
  const from = emailSender();
  const { report_id } = message;
  const report = readReport(report_id);
  // If the report can't be read, the email stays queued, just as it does after any other failure.
  const to = report?.payload && report.payload !== "unreadable" ? report.payload.email : undefined;
  if (!report || !smtpUrl || !from || !to) throw new Error("The sender or recipient is missing.");
  const allowed = allowEmail(report, to, now);
  // The reporter can still see every update through the link shown after submitting the form.
  if (!allowed) return;
  const { mailLink, refund } = allowed;
  try {
    await sendEmail(smtpUrl, { from, to }, emailOf(message, mailLink === "sent"));
  } catch (error) {
    refund();
    throw error;
  }
  return () => setMailLinkState(report_id, mailLink);
}

/**
 * @param isFirst whether this is the first email to the reporter. Further emails are sent only after the link in the
 * first one has been opened.
 */
function emailOf({ id, report_id, event }: ReportNotice, isFirst: boolean): Email {
  const { siteName, publicUrl } = settings();
  const [subject, message] = MAIL_TEXTS[event];
  const path = statusPath(report_id, "email");
  const link = publicUrl ? `${publicUrl}${path}` : `the site's address, followed by ${path}`;
  const further = isFirst ? `${FIRST_MAIL_TEXT}\n\n` : "";
  return {
    id,
    subject: `${siteName}: ${subject}`,
    text: `${message}\n\nCheck its status or reply here: ${link}\n\n${further}Don't share this link. Anyone who has it can read your report and reply as you.\n`,
  };
}

/**
 * Limits on emails about reports. Anyone can enter a stranger's address in the form. Therefore, only one first email a
 * day is sent to an address, and further emails are sent only after the link in a first email has been opened. The
 * status page shown after submitting the form has a different link.
 *
 * The counts are kept only in memory, keyed by a digest of the address.
 */

const DAY_SECONDS = 86_400;
/** This limit applies even after a link has been opened, because some mail servers open links in order to scan them. */
const MAX_EMAILS_PER_DAY = 50;

const firstEmails = attemptLimit("first emails by recipient", 1, DAY_SECONDS);
const emails = attemptLimit("emails by recipient", MAX_EMAILS_PER_DAY, DAY_SECONDS);
/** Recipients who have opened a link. Their other reports don't require a first email. */
const openedLinks = attemptLimit("opened links by recipient", 1, DAY_SECONDS);

interface AllowedEmail {
  /** The value of `mail_link` after the email has been sent. */
  mailLink: "sent" | "opened";
  /** Stops counting the email toward the limits, because it wasn't sent. */
  refund(): void;
}

/** Counts an email about a report. Returns undefined if the address has reached a limit. */
function allowEmail(report: Report, address: string, now = Date.now()): AllowedEmail | undefined {
  const recipient = mailboxOf(address);
  const isOpened =
    report.mailLink === "opened" || openedLinks.attempts(address.toLowerCase(), now) > 0;
  if (!isOpened) {
    if (report.mailLink === "sent") return undefined;
    if (firstEmails.consume(recipient, now) !== undefined) return undefined;
  }
  const refund = () => {
    emails.refund(recipient);
    if (!isOpened) firstEmails.refund(recipient);
  };
  if (emails.consume(recipient, now) === undefined) {
    return { mailLink: isOpened ? "opened" : "sent", refund };
  }
  if (!isOpened) firstEmails.refund(recipient);
  return undefined;
}

/** Records that a status link was opened, if the link came from an email. */
export async function recordLinkOpening(token: string): Promise<void> {
  const link = readStatusToken(token);
  const report = link?.origin === "email" ? readReport(link.id) : undefined;
  if (!report?.payload || report.payload === "unreadable") return;
  openedLinks.consume(report.payload.email.toLowerCase());
  if (report.mailLink !== "opened") await transaction(() => setMailLinkState(report.id, "opened"));
}

/**
 * Returns the mailbox of an address. Many providers deliver mail for `ada+1@` and `a.da@` to `ada@`, so one mailbox
 * could otherwise have any number of addresses.
 */
function mailboxOf(address: string): string {
  const [name = "", host = ""] = address.toLowerCase().split("@");
  return `${name.replace(/\+.*$/, "").replaceAll(".", "")}@${host}`;
}
