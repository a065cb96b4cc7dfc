import { appendToLog, textDigest } from "~/platform/activity/moderation-log.server";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import {
  addMessage,
  closeReport,
  countMessages,
  countUnanswered,
  emailSender,
  moveReport,
  type Report,
  readMessages,
  readReport,
  URGENT_KINDS,
  withdrawOpenReport,
} from "./report-records.server";
import {
  DECISION_TEXTS,
  ERASED_TEXT,
  NO_REPORT_TEXT,
  STATE_TEXTS,
  WITHDRAWN_WHILE_HIDDEN,
} from "./report-texts";
import { mostSevereDecision } from "./report-videos.server";
import { readStatusToken } from "./status-token.server";
import { plainText } from "./submit-report.server";

const MAX_MESSAGE_LENGTH = 4_000;
const MAX_MESSAGES = 50;
const MAX_UNANSWERED = 3;

export type StatusPage = Exclude<ReturnType<typeof readStatusPage>, { missing: string }>;

/** Returns the data for a status page, or the reason why there is none. */
export function readStatusPage(token: string) {
  const report = reportOf(token);
  if (typeof report === "string") return { missing: report };
  const { id, kind, videos, state, decision } = report;
  const isOpen = state !== "closed";
  const isWithdrawn = decision === "withdrawn";
  return {
    ...{ kind, videos, receivedAt: report.receivedAt, messages: readMessages(id) },
    message: messageOf(report),
    dueAt: isOpen ? report.dueAt : undefined,
    canWrite: isOpen && mayWrite(id),
    canWithdraw: isOpen && !isWithdrawn,
    isLinkUnopened: isOpen && isLinkUnopened(report),
  };
}

function isLinkUnopened({ payload, mailLink }: Report): boolean {
  const hasMail = settings().smtpUrl !== undefined && emailSender() !== undefined;
  return (
    hasMail &&
    payload !== null &&
    payload !== "unreadable" &&
    payload.email !== "" &&
    mailLink !== "opened"
  );
}

function mayWrite(reportId: string): boolean {
  const isLimited = countMessages(reportId, "reporter") >= MAX_MESSAGES;
  return !isLimited && countUnanswered(reportId) < MAX_UNANSWERED;
}

function messageOf({ state, decision }: Report): string {
  if (state !== "closed")
    return decision === "withdrawn" ? WITHDRAWN_WHILE_HIDDEN : STATE_TEXTS[state];
  return decision ? DECISION_TEXTS[decision] : "Closed.";
}

function reportOf(token: string): Report | string {
  const id = readStatusToken(token)?.id;
  const report = id === undefined ? undefined : readReport(id);
  if (!report) return NO_REPORT_TEXT;
  return report.erasedAt === null ? report : ERASED_TEXT;
}

export type StatusAnswer =
  | { done: string }
  | { status: 404 | 409 | 422; error: string; text?: string };

/** Handles one of the page's forms according to its `intent`: `answer` or `withdraw`. */
export async function performStatus(token: string, form: FormData): Promise<StatusAnswer> {
  const report = reportOf(token);
  if (typeof report === "string") return { status: 404, error: report };
  if (form.get("intent") === "answer") return answer(report, form);
  if (form.get("intent") === "withdraw") return withdraw(report);
  throw new Response(null, { status: 400, statusText: "Bad Request" });
}

const DECIDED = { status: 409, error: "This report was closed in the meantime." } as const;

async function answer({ id }: Report, form: FormData): Promise<StatusAnswer> {
  const text = plainText(form.get("message")).trim();
  if (!text) return { status: 422, error: "Please enter a message." };
  if (text.length > MAX_MESSAGE_LENGTH) {
    return { status: 422, error: "Please use at most 4,000 characters.", text };
  }
  return transaction((): StatusAnswer => {
    const now = readReport(id);
    if (!now || now.state === "closed") return { ...DECIDED, text };
    // If the form is submitted twice, only one message is added.
    const last = readMessages(id, 1)[0];
    if (last?.author === "reporter" && last.text === text) return { done: "Message sent." };
    if (!mayWrite(id)) {
      return {
        status: 409,
        error: "Please wait until a moderator has read your earlier messages.",
        text,
      };
    }
    addMessage({ reportId: id, author: "reporter", text });
    moveReport({ id, from: ["asked"], to: "open" });
    const detail = { text: textDigest(text) };
    appendToLog({ action: "answered", reportId: id, videoId: now.videos[0]?.id, detail });
    return { done: "Message sent." };
  });
}

/**
 * Withdraws a report. A report that hides a video stays open, because the reporter may have been forced to withdraw it.
 */
async function withdraw({ id }: Report): Promise<StatusAnswer> {
  return transaction((): StatusAnswer => {
    const now = readReport(id);
    if (!now || now.state === "closed") return DECIDED;
    if (now.decision === "withdrawn") return { done: "Report withdrawn." };
    // An urgent report also stays open while another report hides the video.
    const holds = prepared(
      `SELECT 1 FROM video_holds WHERE video_id IN (SELECT value FROM json_each(?))
         AND reason = 'report' AND (source_id = ? OR ?) LIMIT 1`,
    ).get(
      JSON.stringify(now.videos.map((video) => video.id)),
      id,
      Number(URGENT_KINDS.includes(now.kind)),
    );
    if (holds) withdrawOpenReport(id);
    else closeReport({ id, decision: mostSevereDecision(now.videos) ?? "withdrawn" });
    appendToLog({ action: "withdrawn", reportId: id, videoId: now.videos[0]?.id });
    return { done: "Report withdrawn." };
  });
}
