import { findStrikeable } from "~/features/accounts/users/strikes.server";
import { refusalsOf } from "~/features/consent/validity.server";
import { preservedUntil } from "~/media/files/preserved.server";
import { settings } from "~/platform/settings.server";
import { createYielder } from "~/shared/event-loop";
import { ownMediaPath } from "~/shared/media-path";
import { prepared } from "~db/client.server";
import type { ReportDecision, ReportKind, ReportState } from "~db/schema/moderation";
import type { AcceptedTerms } from "../uploaders/terms";
import { findAcceptances } from "../uploaders/terms.server";
import { DECISIONS, type ModeratorDecision, timeLeft } from "./decisions";
import {
  countMessages,
  decryptReport,
  type Report,
  readMessages,
  readReport,
} from "./report-records.server";
import { choicesFor, reportVersion } from "./report-rules.server";
import { type NamedVideo, reviewedKinds } from "./report-videos.server";

const EARLIER_SHOWN = 10;
/**
 * The number of most recent reports that are searched for videos by the same uploader. The search takes a few
 * milliseconds.
 */
const MAX_SEARCHED_REPORTS = 2_000;
const ENTRIES_SHOWN = 50;

export interface ReportedVideo extends NamedVideo {
  choices: ModeratorDecision[];
  /** Empty if the video was deleted. */
  title: string;
  status: "published" | "hidden" | "review" | "trash" | "gone";
  thumbnailUrl: string | null;
  /** Empty if the video can't be played, for example because it is in the trash. */
  videoUrl: string;
  uploader: string | null;
  /** The reason why the video can't be published; undefined if it can. */
  held?: string;
  /** The terms that the video's uploader has accepted; undefined if the site has never had terms. */
  accepted?: AcceptedTerms[];
  /** The kinds of reports for which a moderator has already reviewed the video. */
  checked: ReportKind[];
  /** The video's other files: a pending replacement, and previous files. */
  otherFiles: OtherFile[];
}

interface OtherFile {
  id: string;
  state: "pending" | "earlier" | "original";
  /** Empty for a file that has been replaced and therefore can't be played. */
  videoUrl: string;
  /** When the file was uploaded or replaced (ISO 8601, UTC). */
  at: string;
  email: string | null;
}

export type ReportPage = NonNullable<ReturnType<typeof readReportPage>>;

/** A log entry. The user is null for actions of the site itself; the email is also null for a deleted account. */
interface LogEntry {
  id: number;
  at: string;
  action: string;
  userId: string | null;
  email: string | null;
}

export function readReportPage(id: string, now = Date.now()) {
  const report = readReport(id);
  if (!report) return undefined;
  const ids = report.videos.map((video) => video.id);
  const videos = readVideos(report);
  return {
    report: { ...report, left: timeLeft(report.dueAt, now) },
    videos,
    choices: choicesOf(report, videos),
    earlier: readEarlier(report, ids),
    messages: readMessages(id),
    entries: prepared(
      `SELECT moderation_log.id, at, action, user_id AS userId, email FROM moderation_log
         LEFT JOIN users ON users.id = user_id
       WHERE report_id = ? GROUP BY at, action ORDER BY moderation_log.id DESC LIMIT ${ENTRIES_SHOWN}`,
    )
      .all(id)
      .reverse() as LogEntry[],
    preservedUntil: preservedUntil(id),
    strikeable: findStrikeable(ids, now),
    version: reportVersion(report),
  };
}

/**
 * Returns the decisions to offer: every decision that is possible for at least one of the videos, or `not-here` if
 * there are none, and also `ask` unless the report has been erased.
 */
function choicesOf({ erasedAt }: Report, videos: readonly ReportedVideo[]): ModeratorDecision[] {
  const all = new Set(videos.flatMap(({ choices }) => choices));
  if (all.size === 0) all.add("not-here");
  if (erasedAt === null) all.add("ask");
  return DECISIONS.filter((decision) => all.has(decision));
}

function readVideos(report: Report): ReportedVideo[] {
  const { videos } = report;
  const ids = videos.map(({ id }) => id);
  const list = JSON.stringify(ids);
  const rows = prepared<{
    id: string;
    title: string;
    status: ReportedVideo["status"];
    thumbnail_url: string | null;
    video_url: string;
    email: string | null;
  }>(
    `SELECT videos.id, title, status, thumbnail_url, video_url, email
     FROM videos LEFT JOIN users ON users.id = uploaded_by
     WHERE videos.id IN (SELECT value FROM json_each(@list))
     UNION ALL SELECT deleted_videos.id, title, 'trash', NULL, '', email
     FROM deleted_videos LEFT JOIN users ON users.id = uploaded_by
     WHERE deleted_videos.id IN (SELECT value FROM json_each(@list))`,
  ).all({ list });
  const others = prepared<OtherFile>(
    `SELECT video_files.id, state, CASE state WHEN 'pending' THEN video_url ELSE '' END AS videoUrl,
       coalesce(replaced_at, video_files.created_at) AS at, email
     FROM video_files LEFT JOIN users ON users.id = user_id
     WHERE video_id = ? AND state IN ('pending', 'earlier', 'original') ORDER BY at DESC`,
  );
  const refusals = refusalsOf(ids);
  const accepted = findAcceptances(ids);
  return videos.map((named) => {
    const { id } = named;
    const row = rows.find((each) => each.id === id);
    const held = refusals.get(id);
    return {
      ...named,
      choices: choicesFor(report, named),
      title: row?.title ?? "",
      status: row?.status ?? "gone",
      thumbnailUrl: ownMediaPath(row?.thumbnail_url ?? null) ?? null,
      videoUrl: ownMediaPath(row?.video_url ?? "") ?? "",
      uploader: row?.email ?? null,
      ...(held && { held }),
      ...(accepted && { accepted: accepted[id] ?? [] }),
      checked: reviewedKinds(id),
      otherFiles: others.all(id).map((file) => ({
        ...file,
        videoUrl: ownMediaPath(file.videoUrl) ?? "",
      })),
    };
  });
}

/** A subquery for the reports about any of the videos in the JSON parameter `list`. */
const NAMING =
  "(SELECT report_id FROM report_videos WHERE video_id IN (SELECT value FROM json_each(@list)))";

/** Returns the latest reports about the same videos, and about other videos by the same uploaders. */
function readEarlier(report: Report, videoIds: readonly string[]) {
  const columns =
    "reports.id, reports.kind, reports.state, reports.decision, received_at AS receivedAt";
  const ofVideos = prepared<OtherReport>(
    `SELECT ${columns} FROM reports WHERE reports.id IN ${NAMING} AND reports.id <> @id
     ORDER BY received_at DESC LIMIT ${EARLIER_SHOWN}`,
  ).all({ list: JSON.stringify(videoIds), id: report.id });
  const others = prepared<OtherReport>(
    `WITH uploaders AS (
       SELECT uploaded_by FROM videos WHERE id IN (SELECT value FROM json_each(@list))
       UNION SELECT uploaded_by FROM deleted_videos WHERE id IN (SELECT value FROM json_each(@list)))
     SELECT DISTINCT ${columns} FROM
       (SELECT * FROM reports ORDER BY received_at DESC LIMIT ${MAX_SEARCHED_REPORTS}) AS reports
       JOIN report_videos ON report_id = reports.id
     WHERE reports.id <> @id AND reports.id NOT IN ${NAMING}
       AND (SELECT uploaded_by FROM videos WHERE videos.id = video_id
         UNION ALL SELECT uploaded_by FROM deleted_videos WHERE deleted_videos.id = video_id)
         IN (SELECT uploaded_by FROM uploaders WHERE uploaded_by IS NOT NULL)
     LIMIT ${EARLIER_SHOWN}`,
  ).all({ id: report.id, list: JSON.stringify(videoIds) });
  return [
    ...ofVideos.map((each) => ({ ...each, isOfVideo: true })),
    ...others.map((each) => ({ ...each, isOfVideo: false })),
  ];
}

/** The number of reports to decrypt before yielding to the event loop. Decrypting them takes about 0.1 ms. */
const DECRYPTED_AT_ONCE = 10;
const MAX_OTHERS = 50;

/** Another report; times are in ISO 8601 format (UTC). */
export interface OtherReport {
  id: string;
  kind: ReportKind;
  state: ReportState;
  decision: ReportDecision | null;
  receivedAt: string;
}

export type ReporterData = Awaited<ReturnType<typeof readReporterData>>;

/**
 * Returns all data about the reporter, except the decisions on the videos. `until` is the time at which the text is
 * deleted automatically, or null while the report isn't closed; `others` are other reports with the same email address.
 *
 * @param withOthers whether to find `others`. This requires decrypting every report, which takes a second for 100,000
 * reports.
 */
export async function readReporterData(report: Report, withOthers: boolean) {
  const { id, closedAt } = report;
  const address = addressIn(report.payload);
  const kept = closedAt && Date.parse(closedAt) + settings().reportKeepMs;
  return {
    until: kept ? new Date(kept).toISOString() : null,
    messages: countMessages(id, "reporter"),
    mails: prepared<number>("SELECT count(*) FROM outbox WHERE report_id = ?").pluck().get(id)!,
    hasAddress: address !== "",
    others: withOthers && address ? await otherReportsFrom(id, address) : undefined,
  };
}

function addressIn(payload: Report["payload"]): string {
  return payload && typeof payload !== "string" ? payload.email.trim().toLowerCase() : "";
}

/**
 * Returns other reports from an email address. Each report's text is encrypted separately, so all of them must be
 * decrypted.
 */
async function otherReportsFrom(id: string, address: string): Promise<OtherReport[]> {
  const next = prepared<OtherReport & { at: number; payload: string }>(
    `SELECT rowid AS at, id, kind, state, decision, received_at AS receivedAt, payload FROM reports
     WHERE rowid < ? AND erased_at IS NULL ORDER BY rowid DESC LIMIT ${DECRYPTED_AT_ONCE}`,
  );
  const yieldIfDue = createYielder();
  const others: OtherReport[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = next.all(before);
    for (const { at, payload, ...other } of rows) {
      before = at;
      if (other.id === id || addressIn(decryptReport(payload)) !== address) continue;
      others.push(other);
    }
    if (rows.length === 0 || others.length >= MAX_OTHERS) return others.slice(0, MAX_OTHERS);
    await yieldIfDue();
  }
}
