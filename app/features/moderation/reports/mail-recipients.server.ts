import { attemptLimit } from "~/platform/attempt-limit.server";
import { transaction } from "~db/client.server";
import { noteMailLink, type Report, readReport } from "./report-records.server";
import { readStatusToken } from "./status-token.server";

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

/** An email that may be sent. */
export interface AllowedEmail {
  /** What `mail_link` becomes once it is sent. */
  mailLink: "sent" | "opened";
  /** Uncounts an email that was not sent. */
  giveBack(): void;
}

/** Counts an email about a report. Returns undefined if the address must not get it. */
export function allowEmail(
  report: Report,
  address: string,
  now = Date.now(),
): AllowedEmail | undefined {
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
  if (!report?.box || report.box === "unreadable") return;
  openings.consume(report.box.email.toLowerCase());
  if (report.mailLink !== "opened") await transaction(() => noteMailLink(report.id, "opened"));
}

/** Many providers deliver `ada+1@` and `a.da@` to `ada@`: otherwise one mailbox would have any number of addresses. */
function recipientOf(address: string): string {
  const [name = "", host = ""] = address.toLowerCase().split("@");
  return `${name.replace(/\+.*$/, "").replaceAll(".", "")}@${host}`;
}
