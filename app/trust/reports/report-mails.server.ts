import { type Email, sendEmail } from "~/server/mail/email.server";
import { settings } from "~/server/settings.server";
import { database, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { every, processState } from "~db/runtime.server";
import type { ReportMailRow } from "~db/schema/reports";
import { writingTurns } from "~db/threads/checkpoint.server";
import { allowEmail } from "./mail-recipients.server";
import {
  eraseReport,
  mailSender,
  noteMailLink,
  readReport,
  reportsToErase,
} from "./report-records.server";
import { FIRST_MAIL_TEXT, MAIL_TEXTS } from "./report-texts";
import { statusPath } from "./status-token.server";
import { forgetDecisions } from "./uploader-decisions.server";

const EVERY_MS = 60_000;
const FIRST_MS = 8_000;
/** After each attempt that failed; then it is given up, a day and a half after the first. */
const BACK_OFF_MS = [1, 5, 15, 60, 180, 360, 720, 720].map((minutes) => minutes * 60_000);
const AT_ONCE = 20;

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
export async function eraseDue(now = Date.now()): Promise<number> {
  const turn = writingTurns();
  let erased = 0;
  for (;;) {
    const due = reportsToErase(now);
    // One by one, so that nobody waits long for the lock; a free one is had without giving others a turn.
    for (const id of due) if (await transaction(() => eraseReport(id, now))) erased += 1;
    if (due.length === 0) return erased;
    await turn();
  }
}

const mails = processState("mails to reporters", () => ({
  sending: undefined as Promise<void> | undefined,
}));

/**
 * Sends the mails whose time has come, one after the other. What arrives and is not recorded, since the
 * process ends between the two, is sent once more with the same id.
 */
export function sendReportMails(now = Date.now()): Promise<void> {
  const state = mails();
  state.sending ??= sendAll(now).finally(() => {
    state.sending = undefined;
  });
  return state.sending;
}

async function sendAll(now: number): Promise<void> {
  if (!settings().smtpUrl) return;
  const due = await database()
    .selectFrom("report_mails")
    .selectAll()
    .where("next_at", "<=", new Date(now).toISOString())
    .orderBy("next_at")
    .limit(AT_ONCE)
    .execute();
  for (const mail of due) await attempt(mail, now);
}

async function attempt(mail: ReportMailRow, now: number): Promise<void> {
  const { smtpUrl } = settings();
  const from = mailSender();
  const report = readReport(mail.report_id);
  // Unreadable for now: it waits, as after any failure.
  const to = report?.box && report.box !== "unreadable" ? report.box.email : undefined;
  const allowed = report && to ? allowEmail(report, to, now) : undefined;
  // The reporter finds everything behind the link that they have.
  if (to && !allowed) return finish(mail);
  try {
    if (!smtpUrl || !from || !to) throw new Error("There is no address to send it to or from.");
    await sendEmail(smtpUrl, { from, to }, emailOf(mail, allowed?.mailLink === "sent"));
  } catch (error) {
    allowed?.giveBack();
    const wait = BACK_OFF_MS[mail.attempts];
    if (wait !== undefined) {
      const next_at = new Date(now + wait).toISOString();
      await database()
        .updateTable("report_mails")
        .set({ attempts: mail.attempts + 1, next_at })
        .where("id", "=", mail.id)
        .execute();
      return;
    }
    console.error(`A mail to a reporter could not be sent: ${(error as Error).message}`);
    return finish(mail);
  }
  return finish(mail, allowed?.mailLink);
}

/** Deletes an email that was sent, given up, or must not be sent. */
async function finish({ id, report_id }: ReportMailRow, mailLink?: "sent" | "opened") {
  await transaction(() => {
    runChange(database().deleteFrom("report_mails").where("id", "=", id));
    if (mailLink) noteMailLink(report_id, mailLink);
  });
}

/** @param isFirst whether the reporter has to open the link to get further emails. */
function emailOf({ id, report_id, event }: ReportMailRow, isFirst: boolean): Email {
  const { siteName, publicUrl } = settings();
  const [subject, sentence] = MAIL_TEXTS[event];
  const path = statusPath(report_id, "email");
  const link = publicUrl ? `${publicUrl}${path}` : `the address of the site, followed by ${path}`;
  const further = isFirst ? `${FIRST_MAIL_TEXT}\n\n` : "";
  return {
    id,
    subject: `${siteName}: ${subject}`,
    text: `${sentence}\n\nCheck its status or reply here: ${link}\n\n${further}Don't share this link. Anyone who has it can read your report and answer for you.\n`,
  };
}
