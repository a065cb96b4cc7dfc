import { attemptLimit } from "~/server/attempt-limit.server";
import { clientAddress, widerNetwork } from "~/server/client-address.server";
import { isPublic } from "~/visibility/visibility.server";
import { writeTransaction } from "~db/client.server";
import type { ReportKind } from "~db/schema/reports";
import { appendToLog } from "../moderation-log.server";
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
/** Videos, since a report of such a kind may hide all that it names. */
const VIDEOS_WITHOUT_PUZZLE = 5;
const VIDEOS_OF_ALL_WITHOUT_PUZZLE = 200;
const REPORTS_PER_ADDRESS = 60;
/** Of what waits to be read. Beyond it only short texts are taken, so that everybody can still report. */
const MAX_OPEN_BYTES = 64 * 1024 * 1024;

const freeByAddress = attemptLimit(
  "reports without a puzzle by address",
  VIDEOS_WITHOUT_PUZZLE,
  HOUR_SECONDS,
);
/** A provider gives some customers a whole /48, which has 65,536 networks that count by themselves. */
const NETWORKS_OF_A_CUSTOMER = 4;
const freeByCustomer = attemptLimit(
  "reports without a puzzle by customer",
  VIDEOS_WITHOUT_PUZZLE * NETWORKS_OF_A_CUSTOMER,
  HOUR_SECONDS,
);
const byCustomer = attemptLimit(
  "reports by customer",
  REPORTS_PER_ADDRESS * NETWORKS_OF_A_CUSTOMER,
  HOUR_SECONDS,
);
const freeForAll = attemptLimit(
  "reports without a puzzle",
  VIDEOS_OF_ALL_WITHOUT_PUZZLE,
  HOUR_SECONDS,
  1,
);
const byAddress = attemptLimit("reports by address", REPORTS_PER_ADDRESS, HOUR_SECONDS);

/** The form again, with what was typed and what is wrong. */
export interface RefusedReport {
  status: 422 | 429;
  typed: TypedReport;
  errors: ReportErrors;
  /** A sentence about the whole form. */
  notice?: string;
  puzzle?: Puzzle;
  /** Whether no public video was found in what was typed, and sending it again confirms it. */
  isUnknown?: boolean;
}

/** The question that the form begins with, where this address, or everybody, has sent many reports. */
export function puzzleFor(request: Request): Puzzle | undefined {
  const isAsked = freeByAddress.isUsedUp(clientAddress(request)) || freeForAll.isUsedUp("all");
  return isAsked ? newPuzzle() : undefined;
}

/**
 * Enters the report that a form makes. What was sent twice is one report.
 *
 * @returns its id, or the form again.
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
  // A hidden video is answered like one that isn't here, so that nobody learns which ids exist.
  if (!isConfirmed && !videos.some(isPublic)) {
    const where =
      "We can't find a public video here. Please check the address, or send the report as it is.";
    return { status: 422, typed, errors: { where }, puzzle: puzzleFor(request), isUnknown: true };
  }
  const address = clientAddress(request);
  const answer = String(form.get("answer") ?? "");
  const isFree = takeFree(address, Math.max(1, videos.length));
  if (!isFree && !isSolved(String(form.get("puzzle") ?? ""), answer)) {
    const sentence = answer
      ? "That was not it, or it took too long. Here is another question."
      : "Please answer this question: many reports have been sent.";
    return { status: 422, ...again, errors: { answer: sentence }, puzzle: newPuzzle() };
  }
  if (isFlood(address)) {
    const notice = "Too many reports were sent from here. Try again in an hour, or write a mail.";
    return { status: 429, ...again, errors: {}, notice };
  }
  const { ticked, ...texts } = typed;
  const statements = KIND_TEXTS[kind].statements.filter((_, at) => ticked.includes(at));
  const box = { ...texts, statements: [...statements] };
  await writeTransaction(() => {
    if (!createReport({ id, kind, videos, box })) return;
    appendToLog({ action: "received", reportId: id, videoId: videos[0], detail: { kind } });
    if (hidesAtOnce(kind)) {
      hideReported({ reportId: id, kind, network: widerNetwork(address) }, videos);
    }
  });
  return { id };
}

/** Whether so many videos may be reported without a question; counted before, so that none pass together. */
function takeFree(address: string, videos: number): boolean {
  for (let taken = 0; taken < videos; taken++) {
    const customer = customerOf(address);
    const isRefused =
      freeByAddress.consume(address) !== undefined ||
      (customer !== undefined && freeByCustomer.consume(customer) !== undefined) ||
      freeForAll.consume("all") !== undefined;
    if (isRefused) return false;
  }
  return true;
}

function isFlood(address: string): boolean {
  const customer = customerOf(address);
  return (
    byAddress.consume(address) !== undefined ||
    (customer !== undefined && byCustomer.consume(customer) !== undefined)
  );
}

/** The /48 of an IPv6 address. An IPv4 address has no such network. */
function customerOf(address: string): string | undefined {
  return address.includes(":") ? widerNetwork(address) : undefined;
}
