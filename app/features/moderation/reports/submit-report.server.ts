import { randomInt, randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isPublic } from "~/features/visibility/visibility.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { addressLimit } from "~/platform/address-limit.server";
import { attemptLimit, maxEntries } from "~/platform/attempt-limit.server";
import { clientAddress, widerNetwork } from "~/platform/client-address.server";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { mailbox } from "~/platform/settings/setting-rules";
import { sign, verify } from "~/platform/signed-value.server";
import { transaction } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { REPORT_KINDS, type ReportKind } from "~db/schema/moderation";
import { hideReported, hidesImmediately } from "./report-holds.server";
import { countOpenReportBytes, createReport, hasReport } from "./report-records.server";
import { KIND_TEXTS } from "./report-texts";
import { createReportId } from "./status-token.server";
import { parseVideoIds } from "./video-links";

const HOUR_SECONDS = 3_600;
/** The limits count videos rather than reports, because an urgent report may hide all of its videos. */
const VIDEOS_WITHOUT_PUZZLE = 5;
const VIDEOS_OF_ALL_WITHOUT_PUZZLE = 200;
const REPORTS_PER_ADDRESS = 60;
/**
 * The maximum total size of all open reports. Beyond it, only short text is accepted, so that everyone can still
 * report.
 */
const MAX_OPEN_BYTES = 64 * 1024 * 1024;

const freeByAddress = addressLimit(
  "reports without a puzzle by address",
  VIDEOS_WITHOUT_PUZZLE,
  HOUR_SECONDS,
);
const freeForAll = attemptLimit(
  "reports without a puzzle",
  VIDEOS_OF_ALL_WITHOUT_PUZZLE,
  HOUR_SECONDS,
  1,
);
const byAddress = addressLimit("reports by address", REPORTS_PER_ADDRESS, HOUR_SECONDS);

export interface RefusedReport {
  status: 422 | 429;
  typed: TypedReport;
  errors: ReportErrors;
  notice?: string;
  puzzle?: Puzzle;
  /** Whether no public video was found. Submitting the form again sends the report anyway. */
  isUnknown?: boolean;
}

/**
 * Returns a question that must be answered first if this IP address, or all IP addresses together, have sent many
 * reports.
 */
export function puzzleFor(request: Request): Puzzle | undefined {
  const needsPuzzle =
    freeByAddress.isExhausted(clientAddress(request)) || freeForAll.isExhausted("all");
  return needsPuzzle ? newPuzzle() : undefined;
}

/**
 * Stores the report from a form. Submitting the same form twice stores only one report.
 *
 * @returns the report's id, or the rejected form.
 */
export async function submitReport(
  request: Request,
  kind: ReportKind,
  form: FormData,
): Promise<{ id: string } | RefusedReport> {
  const { typed, errors } = readReportForm(form, kind, {
    isShort: countOpenReportBytes() > MAX_OPEN_BYTES,
  });
  const isConfirmed = typed.where !== "" && plainText(form.get("anyway")).trim() === typed.where;
  const again = { typed, isUnknown: isConfirmed };
  if (Object.keys(errors).length > 0) {
    return { status: 422, ...again, errors, puzzle: puzzleFor(request) };
  }
  const id = createReportId(String(form.get("form") ?? "").slice(0, 64), { kind, ...typed });
  if (hasReport(id)) return { id };

  const videos = parseVideoIds(typed.where);
  // The response is the same for hidden and missing videos, so that nobody can find out which ids exist.
  if (!isConfirmed && !videos.some(isPublic)) {
    const where =
      "We can’t find a public video at this link. Check the link, or send the report anyway.";
    return { status: 422, typed, errors: { where }, puzzle: puzzleFor(request), isUnknown: true };
  }
  const address = clientAddress(request);
  const answer = String(form.get("answer") ?? "");
  const isFree = consumeFreeReports(address, Math.max(1, videos.length));
  if (!isFree && !isSolved(String(form.get("puzzle") ?? ""), answer)) {
    const message = answer
      ? "That answer was wrong or came too late. Try this one."
      : "We’re getting a lot of reports. Please answer this question.";
    return { status: 422, ...again, errors: { answer: message }, puzzle: newPuzzle() };
  }
  if (byAddress.consume(address) !== undefined) {
    const notice = "Too many reports from your network. Try again in an hour, or send us an email.";
    return { status: 429, ...again, errors: {}, notice };
  }
  const { ticked, ...texts } = typed;
  const statements = KIND_TEXTS[kind].statements.filter((_, at) => ticked.includes(at));
  const payload = { ...texts, statements: [...statements] };
  await transaction(() => {
    if (!createReport({ id, kind, videos, payload })) return;
    appendToLog({ action: "received", reportId: id, videoId: videos[0], detail: { kind } });
    if (hidesImmediately(kind)) {
      hideReported({ reportId: id, kind, network: widerNetwork(address) }, videos);
    }
  });
  return { id };
}

/**
 * Counts these videos toward the limits, and returns whether they can be reported without answering the question. They
 * are counted before the report is stored, so that parallel requests can't exceed the limits.
 */
function consumeFreeReports(address: string, videos: number): boolean {
  for (let taken = 0; taken < videos; taken++) {
    const isRefused =
      freeByAddress.consume(address) !== undefined || freeForAll.consume("all") !== undefined;
    if (isRefused) return false;
  }
  return true;
}

const MAX_LENGTHS = { name: 200, email: 254, where: 4_000, what: 4_000 } as const;
/** The maximum length while the open reports take up too much space. */
const MAX_SHORT_LENGTH = 500;
const MIN_DESCRIPTION_LENGTH = 10;

export interface TypedReport {
  name: string;
  email: string;
  where: string;
  what: string;
  ticked: number[];
}

type ReportErrors = Partial<
  Record<"where" | "what" | "name" | "email" | "statement" | "answer", string>
>;

export function toReportKind(value: unknown): ReportKind | undefined {
  return REPORT_KINDS.find((kind) => kind === value);
}

/**
 * Reads the form. Returns its values, and an error message for each invalid field.
 *
 * @param options.isShort whether only short text is accepted.
 */
function readReportForm(
  form: FormData,
  kind: ReportKind,
  { isShort = false }: { isShort?: boolean } = {},
): { typed: TypedReport; errors: ReportErrors } {
  const texts = KIND_TEXTS[kind];
  const line = (name: string) => plainText(form.get(name)).replace(/\s+/g, " ").trim();
  const typed = {
    name: line("name"),
    email: line("email"),
    where: plainText(form.get("where")).trim(),
    what: plainText(form.get("what")).trim(),
    ticked: texts.statements.flatMap((_, at) => (form.has(`statement-${at}`) ? at : [])),
  };
  const errors: ReportErrors = {};
  if (!typed.where) errors.where = "Please paste the link to the video.";
  if (typed.what.length < MIN_DESCRIPTION_LENGTH)
    errors.what = "Please describe the problem in a sentence.";
  if (texts.name && !typed.name)
    errors.name = "Please enter your name. This kind of report requires it.";
  if (typed.email && !mailbox.safeParse(typed.email).success) {
    errors.email = "Please enter a valid email address.";
  }
  for (const field of ["where", "what", "name", "email"] as const) {
    const longest = isShort ? Math.min(MAX_LENGTHS[field], MAX_SHORT_LENGTH) : MAX_LENGTHS[field];
    if (typed[field].length > longest) {
      errors[field] = `Please use at most ${longest.toLocaleString("en")} characters.`;
    }
  }
  if (typed.ticked.length < texts.statements.length) {
    errors.statement = "Please confirm this statement to send the report.";
  }
  return { typed, errors };
}

/**
 * Removes control characters and characters that change the text direction (Unicode TR 9), which could disguise the
 * text. Line breaks and tabs are kept.
 */
export function plainText(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .replace(/\r\n?/g, "\n")
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
      "",
    );
}

/**
 * A question in plain text, shown when one IP address sends many reports. It needs no image, audio, JavaScript or
 * third-party service. An answer is accepted only once and for a limited time. After a wrong answer, another question
 * is shown.
 */

const ANSWERED_WITHIN_MS = 15 * 60_000;
const MAX_USED = 50_000;
/**
 * Generated randomly at each startup. The record of used questions is lost in a restart, so earlier questions must not
 * be accepted afterwards.
 */
const PURPOSE = `report puzzle ${randomUUID()}`;
/** All answers are padded to the same length, so that the length of the token doesn't reveal them. */
const ANSWER_LENGTH = 2;

const used = processState(
  "used puzzles",
  () => new LRUCache<string, true>({ ...maxEntries(MAX_USED), ttl: ANSWERED_WITHIN_MS }),
);

export interface Puzzle {
  question: string;
  /** Sent back with the answer. The answer can't be derived from it. */
  token: string;
}

const NUMBERS = [
  ...["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
  ...["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"],
];
export function newPuzzle(now = Date.now()): Puzzle {
  const [a, b] = [randomInt(1, 10), randomInt(1, 10)];
  const question = `What is ${NUMBERS[a - 1]} plus ${NUMBERS[b - 1]}?`;
  const payload = encrypt(PURPOSE, String(a + b).padEnd(ANSWER_LENGTH));
  return { question, token: sign(PURPOSE, payload, now + ANSWERED_WITHIN_MS) };
}

/**
 * Returns whether this answer is correct, was given in time, and is the first answer to the question. The question
 * can't be used again afterwards.
 */
export function isSolved(token: string, answer: string, now = Date.now()): boolean {
  const payload = verify(PURPOSE, token, now);
  // Only questions that this process has signed are remembered, so that forged ones can't push them out of the cache.
  if (payload === undefined || used().has(payload)) return false;
  used().set(payload, true);
  return decrypt(PURPOSE, payload)?.trimEnd() === normalized(answer);
}

/** Returns the answer in digits, whether it was given in digits or words, with or without punctuation. */
function normalized(answer: string): string {
  const bare = answer
    .trim()
    .toLowerCase()
    .replace(/[.!"']/g, "")
    .slice(0, 40);
  const number = NUMBERS.indexOf(bare);
  return number < 0 ? bare : String(number + 1);
}
