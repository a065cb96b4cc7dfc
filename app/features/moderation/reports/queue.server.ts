import { prepared } from "~db/client.server";
import {
  REPORT_KINDS,
  type ReportDecision,
  type ReportKind,
  type ReportState,
} from "~db/schema/moderation";
import { timeLeft } from "./decisions";

export const REPORTS_PER_PAGE = 50;
/** Counting stops at this number; the page then shows "1,000 or more". */
const MAX_COUNTED = 1_000;

/** The reports to list, as specified by the query in the page's URL. */
export interface QueueView {
  state: ReportState;
  kind?: ReportKind;
  /** The cursor: `{due_at or closed_at}_{id}` of the last report on the previous page. */
  after?: string;
}

/** A report in the queue; times are in ISO 8601 format (UTC). */
export interface QueuedReport {
  id: string;
  kind: ReportKind;
  state: ReportState;
  decision: ReportDecision | null;
  receivedAt: string;
  closedAt: string | null;
  left: { text: string; isOver: boolean };
  /** The first reported video's title; null if the video was deleted, or if the report doesn't contain any videos. */
  title: string | null;
  videos: number;
}

export interface Queue {
  reports: QueuedReport[];
  /** The value of `after` for the next page. */
  next?: string;
  /** The number of reports waiting for a moderator, at most 1,000. */
  open: number;
}

/** Reads the query in the list's URL. Unknown values are ignored. */
export function readQueueView(params: URLSearchParams): QueueView {
  const state = params.get("state");
  const kind = REPORT_KINDS.find((each) => each === params.get("kind"));
  const after = params.get("after") ?? "";
  return {
    state: state === "asked" || state === "closed" ? state : "open",
    ...(kind && { kind }),
    ...(after.includes("_") && { after }),
  };
}

/**
 * Returns a page of the queue, sorted by deadline, so that overdue reports come first. Closed reports are sorted newest
 * first.
 */
export function readQueue(view: QueueView, now = Date.now()): Queue {
  const { state, kind, after } = view;
  const isClosed = state === "closed";
  const [time = "", id = ""] = after ? splitAtFirst(after) : [];
  const rows = prepared<Omit<QueuedReport, "left"> & { dueAt: string }>(queueSql(view)).all({
    ...(!isClosed && { state }),
    ...(kind && { kind }),
    ...(after && { time, id }),
  });
  const shown = rows.slice(0, REPORTS_PER_PAGE);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  return {
    reports: shown.map(({ dueAt, ...row }) => ({ ...row, left: timeLeft(dueAt, now) })),
    ...(last && { next: `${isClosed ? last.closedAt : last.dueAt}_${last.id}` }),
    open: countOpen(),
  };
}

/** Returns the SQL for a page. Each variant reads the rows in the order of an index. */
export function queueSql({ state, kind, after }: QueueView): string {
  const isClosed = state === "closed";
  const column = isClosed ? "closed_at" : "due_at";
  // Without this hint, SQLite would read all closed reports and sort them.
  const index = isClosed && !kind ? "INDEXED BY reports_closed" : "";
  return `SELECT id, kind, state, decision, received_at AS receivedAt, due_at AS dueAt,
      closed_at AS closedAt,
      (SELECT coalesce((SELECT title FROM videos WHERE videos.id = video_id),
          (SELECT title FROM deleted_videos WHERE deleted_videos.id = video_id))
        FROM report_videos WHERE rowid =
          (SELECT min(rowid) FROM report_videos WHERE report_id = reports.id)) AS title,
      (SELECT count(*) FROM report_videos WHERE report_id = reports.id) AS videos
    FROM reports ${index} WHERE state = ${isClosed ? "'closed'" : "@state"}
      ${kind ? "AND kind = @kind" : ""}
      ${after ? `AND (${column}, id) ${isClosed ? "<" : ">"} (@time, @id)` : ""}
    ORDER BY ${isClosed ? "closed_at DESC, id DESC" : "due_at, id"}
    LIMIT ${REPORTS_PER_PAGE + 1}`;
}

/** Returns the number of reports waiting for a moderator, at most 1,000. */
function countOpen(): number {
  return prepared<number>(
    `SELECT count(*) FROM (SELECT 1 FROM reports WHERE state = 'open' LIMIT ${MAX_COUNTED})`,
  )
    .pluck()
    .get()!;
}

/** Returns the counts shown in the studio's navigation: open and overdue reports, at most 1,000 each. */
export function countWaiting(now = Date.now()): { open: number; overdue: number } {
  const overdue = prepared<number>(
    `SELECT count(*) FROM
       (SELECT 1 FROM reports WHERE state = 'open' AND due_at <= ? LIMIT ${MAX_COUNTED})`,
  )
    .pluck()
    .get(new Date(now).toISOString())!;
  return { open: countOpen(), overdue };
}

function splitAtFirst(text: string): [string, string] {
  const at = text.indexOf("_");
  return [text.slice(0, at), text.slice(at + 1)];
}
