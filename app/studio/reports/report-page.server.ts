import { ownMediaPath } from "~/shared/media-path";
import { refusalsOf } from "~/trust/publication.server";
import {
  type Report,
  type ReportMessage,
  readMessages,
  readReport,
} from "~/trust/reports/report-records.server";
import { videosOf } from "~/trust/reports/report-videos.server";
import { acceptancesOf } from "~/trust/uploaders/accepted-terms.server";
import type { Strikeable } from "~/trust/uploaders/strikes";
import { strikeableOf } from "~/trust/uploaders/strikes.server";
import type { AcceptedTerms } from "~/trust/uploaders/terms";
import { prepared } from "~db/client.server";
import type { HoldReason } from "~db/schema/moderation";
import type { ReportDecision, ReportKind, ReportState } from "~db/schema/reports";
import { timeLeft } from "./decisions";

const EARLIER_SHOWN = 10;
/** Those of an uploader are looked for among so many of the last: a few milliseconds. */
const LAST_REPORTS = 2_000;
const ENTRIES_SHOWN = 50;

/** A video that a report is about. */
export interface ReportedVideo {
  id: string;
  /** Empty for one that is gone. */
  title: string;
  status: "published" | "hidden" | "review" | "trash" | "gone";
  thumbnailUrl: string | null;
  /** Empty where it can't be watched, as in the trash. */
  videoUrl: string;
  uploader: string | null;
  /** Why nobody can publish it; undefined where they can. */
  held?: string;
  /** Which terms its uploader has accepted; undefined where no terms were ever written. */
  accepted?: AcceptedTerms[];
  /** For which kinds of reports somebody has looked at it before. */
  checked: ReportKind[];
}

/** Another report of the same video, or of the same uploader. */
interface EarlierReport {
  id: string;
  kind: ReportKind;
  state: ReportState;
  decision: ReportDecision | null;
  receivedAt: string;
  isOfVideo: boolean;
}

/** What the page of a report shows. */
export interface ReportPage {
  report: Report & { left: { text: string; isOver: boolean } };
  videos: ReportedVideo[];
  /** Whether videos that this report removed can be restored; if not, it asks for a first decision. */
  isRemoved: boolean;
  earlier: EarlierReport[];
  messages: ReportMessage[];
  /** What was decided, the oldest first; the e-mail is null for an account that is gone, and the site. */
  entries: { id: number; at: string; action: string; email: string | null }[];
  /** Who can be given a strike with a removal. */
  strikeable: Strikeable[];
  /** What a decision is made from: another decision or an answer changes it. */
  version: string;
}

export function readReportPage(id: string, now = Date.now()): ReportPage | undefined {
  const report = readReport(id);
  if (!report) return undefined;
  const ids = videosOf(report);
  const videos = readVideos(ids);
  return {
    report: { ...report, left: timeLeft(report.dueAt, now) },
    videos,
    isRemoved: asksToRestore(report, ids),
    earlier: readEarlier(report, ids),
    messages: readMessages(id),
    entries: prepared(
      `SELECT moderation_log.id, at, action, email FROM moderation_log
         LEFT JOIN users ON users.id = user_id
       WHERE report_id = ? GROUP BY at, action ORDER BY moderation_log.id DESC LIMIT ${ENTRIES_SHOWN}`,
    )
      .all(id)
      .reverse() as ReportPage["entries"],
    strikeable: strikeableOf(ids, now),
    version: versionOf(report),
  };
}

/** Changes with each entry in the log about a report, and with each change of its state. */
export function versionOf({ id, state }: Pick<Report, "id" | "state">): string {
  const last = prepared("SELECT max(id) FROM moderation_log WHERE report_id = ?").pluck().get(id);
  return `${last ?? 0}-${state}`;
}

/** Whether a moderator has removed a video because of this report, or of any if none is given. */
export function isRemoved(videoId: string, reportId?: string): boolean {
  return isHeld(videoId, "removed", reportId);
}

function isHeld(videoId: string, reason: HoldReason, reportId?: string): boolean {
  const row = prepared(
    `SELECT 1 FROM video_holds WHERE video_id = @videoId AND reason = @reason
       AND (source_id = @reportId OR @reportId IS NULL)`,
  ).get({ videoId, reason, reportId: reportId ?? null });
  return row !== undefined;
}

/** Whether it is to be decided if videos come back: one that waits for a first decision comes first. */
function asksToRestore(report: Report, videoIds: readonly string[]): boolean {
  const isRemovedHere = (id: string) => isRemoved(id, report.id);
  const waits = videoIds.some((id) => isHeld(id, "report", report.id) && !isRemovedHere(id));
  return !waits && videoIds.some(isRemovedHere);
}

function readVideos(ids: readonly string[]): ReportedVideo[] {
  const list = JSON.stringify(ids);
  const rows = prepared(
    `SELECT videos.id, title, status, thumbnail_url, video_url, email
     FROM videos LEFT JOIN users ON users.id = uploaded_by
     WHERE videos.id IN (SELECT value FROM json_each(@list))
     UNION ALL SELECT deleted_videos.id, title, 'trash', NULL, '', email
     FROM deleted_videos LEFT JOIN users ON users.id = uploaded_by
     WHERE deleted_videos.id IN (SELECT value FROM json_each(@list))`,
  ).all({ list }) as {
    id: string;
    title: string;
    status: ReportedVideo["status"];
    thumbnail_url: string | null;
    video_url: string;
    email: string | null;
  }[];
  const checks = prepared("SELECT kind FROM video_checks WHERE video_id = ?").pluck();
  const refusals = refusalsOf(ids);
  const accepted = acceptancesOf(ids);
  return ids.map((id) => {
    const row = rows.find((each) => each.id === id);
    const held = refusals.get(id);
    return {
      id,
      title: row?.title ?? "",
      status: row?.status ?? "gone",
      thumbnailUrl: ownMediaPath(row?.thumbnail_url ?? null) ?? null,
      videoUrl: ownMediaPath(row?.video_url ?? "") ?? "",
      uploader: row?.email ?? null,
      ...(held && { held }),
      ...(accepted && { accepted: accepted[id] ?? [] }),
      checked: checks.all(id) as ReportKind[],
    };
  });
}

/** The reports that name one of the videos of the parameter `list`. */
const NAMING =
  "(SELECT report_id FROM report_videos WHERE video_id IN (SELECT value FROM json_each(@list)))";

/** The last of the same videos, and of the same uploader's. */
function readEarlier(report: Report, videoIds: readonly string[]): EarlierReport[] {
  const columns = "id, kind, state, decision, received_at AS receivedAt";
  const ofVideos = prepared(
    `SELECT ${columns} FROM reports WHERE id IN ${NAMING} AND id <> @id
     ORDER BY received_at DESC LIMIT ${EARLIER_SHOWN}`,
  ).all({ list: JSON.stringify(videoIds), id: report.id }) as EarlierReport[];
  const uploader = uploaderOf(report.videoId);
  const others = uploader
    ? (prepared(
        `SELECT ${columns} FROM
           (SELECT * FROM reports ORDER BY received_at DESC LIMIT ${LAST_REPORTS}) AS reports
         WHERE id <> @id AND id NOT IN ${NAMING}
           AND (SELECT uploaded_by FROM videos WHERE videos.id = video_id
             UNION ALL SELECT uploaded_by FROM deleted_videos WHERE deleted_videos.id = video_id)
             = @uploader LIMIT ${EARLIER_SHOWN}`,
      ).all({ id: report.id, uploader, list: JSON.stringify(videoIds) }) as EarlierReport[])
    : [];
  return [
    ...ofVideos.map((each) => ({ ...each, isOfVideo: true })),
    ...others.map((each) => ({ ...each, isOfVideo: false })),
  ];
}

function uploaderOf(videoId: string | null): string | undefined {
  if (videoId === null) return undefined;
  const found = prepared(
    `SELECT uploaded_by FROM videos WHERE id = @videoId
     UNION ALL SELECT uploaded_by FROM deleted_videos WHERE id = @videoId`,
  )
    .pluck()
    .get({ videoId }) as string | null | undefined;
  return found ?? undefined;
}
