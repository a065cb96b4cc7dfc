import { isPublic } from "~/features/visibility/visibility.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { addressLimit } from "~/platform/address-limit.server";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { clientAddress, widerNetwork } from "~/platform/client-address.server";
import { transaction } from "~db/client.server";
import type { ReportKind } from "~db/schema/moderation";
import { hideReported, hidesAtOnce } from "./hide-at-once.server";
import { isSolved, newPuzzle, type Puzzle } from "./puzzle.server";
import {
  plainText,
  type ReportErrors,
  readReportForm,
  type TypedReport,
} from "./report-form.server";
import { createReport, hasReport, openReportBytes } from "./report-records.server";
import { KIND_TEXTS } from "./report-texts";
import { videosIn } from "./reported-addresses";
import { idOfReport } from "./status-token.server";

const HOUR_SECONDS = 3_600;
/** Counts videos, not reports, because an urgent report may hide all of its videos. */
const VIDEOS_WITHOUT_PUZZLE = 5;
const VIDEOS_OF_ALL_WITHOUT_PUZZLE = 200;
const REPORTS_PER_ADDRESS = 60;
/** The size of all open reports. Beyond it only short texts are accepted, so that everyone can still report. */
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

/** A refused form, with its values and errors. */
export interface RefusedReport {
  status: 422 | 429;
  typed: TypedReport;
  errors: ReportErrors;
  /** An error message about the whole form. */
  notice?: string;
  puzzle?: Puzzle;
  /** Whether no public video was found. Sending the form again confirms it. */
  isUnknown?: boolean;
}

/** Returns the question to answer first, if this address, or all together, have sent many reports. */
export function puzzleFor(request: Request): Puzzle | undefined {
  const isAsked = freeByAddress.isUsedUp(clientAddress(request)) || freeForAll.isUsedUp("all");
  return isAsked ? newPuzzle() : undefined;
}

/**
 * Stores the report of a form. Submitting the same form twice stores one report.
 *
 * @returns its id, or the refused form.
 */
export async function submitReport(
  request: Request,
  kind: ReportKind,
  form: FormData,
): Promise<{ id: string } | RefusedReport> {
  const { typed, errors } = readReportForm(form, kind, {
    isShort: openReportBytes() > MAX_OPEN_BYTES,
  });
  const isConfirmed = typed.where !== "" && plainText(form.get("anyway")).trim() === typed.where;
  const again = { typed, isUnknown: isConfirmed };
  if (Object.keys(errors).length > 0) {
    return { status: 422, ...again, errors, puzzle: puzzleFor(request) };
  }
  const id = idOfReport(String(form.get("form") ?? "").slice(0, 64), { kind, ...typed });
  if (hasReport(id)) return { id };

  const videos = videosIn(typed.where);
  // Hidden and missing videos get the same response, so that nobody learns which ids exist.
  if (!isConfirmed && !videos.some(isPublic)) {
    const where =
      "We can’t find a public video at this address. Check the address, or send the report anyway.";
    return { status: 422, typed, errors: { where }, puzzle: puzzleFor(request), isUnknown: true };
  }
  const address = clientAddress(request);
  const answer = String(form.get("answer") ?? "");
  const isFree = takeFree(address, Math.max(1, videos.length));
  if (!isFree && !isSolved(String(form.get("puzzle") ?? ""), answer)) {
    const sentence = answer
      ? "That answer was wrong or came too late. Try this one."
      : "We have received many reports. Please answer this question.";
    return { status: 422, ...again, errors: { answer: sentence }, puzzle: newPuzzle() };
  }
  if (byAddress.consume(address) !== undefined) {
    const notice =
      "Too many reports were sent from your network. Try again in an hour, or send us an email.";
    return { status: 429, ...again, errors: {}, notice };
  }
  const { ticked, ...texts } = typed;
  const statements = KIND_TEXTS[kind].statements.filter((_, at) => ticked.includes(at));
  const box = { ...texts, statements: [...statements] };
  await transaction(() => {
    if (!createReport({ id, kind, videos, box })) return;
    appendToLog({ action: "received", reportId: id, videoId: videos[0], detail: { kind } });
    if (hidesAtOnce(kind)) {
      hideReported({ reportId: id, kind, network: widerNetwork(address) }, videos);
    }
  });
  return { id };
}

/** Whether this many videos can be reported without the question. Counts them first, so that parallel requests can't exceed the limit. */
function takeFree(address: string, videos: number): boolean {
  for (let taken = 0; taken < videos; taken++) {
    const isRefused =
      freeByAddress.consume(address) !== undefined || freeForAll.consume("all") !== undefined;
    if (isRefused) return false;
  }
  return true;
}
