import { isPreservedReport } from "~/media/files/preserved.server";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { requireTransaction } from "~db/run-query.server";
import type { UploaderDecisionsTable } from "~db/schema/accounts";
import { changeInBatches } from "~db/threads/checkpoint.server";

const PURPOSE = "uploader decision";
const MAX_SHOWN = 100;
/** The number of rows deleted in one transaction, which takes a few milliseconds. */
const DELETE_BATCH_SIZE = 200;

interface DecisionText {
  /** The title of the video, which may since have been deleted. */
  title: string;
  reason: string;
}

export interface UploaderDecision {
  id: number;
  decision: UploaderDecisionsTable["decision"];
  /** ISO 8601 UTC. */
  decidedAt: string;
  /** Null unless the video is still in the catalogue and belongs to the user. */
  videoId: string | null;
  /** Undefined if the secret needed to decrypt the text is missing. */
  text: DecisionText | undefined;
}

/**
 * Records a decision for the video's uploader. Does nothing for a video without an uploader.
 *
 * @throws if called outside of a transaction, because the record must be stored together with the decision.
 */
export function recordUploaderDecision(
  noted: {
    reportId: string;
    videoId: string;
    decision: UploaderDecisionsTable["decision"];
    reason: string;
  },
  now = Date.now(),
): void {
  requireTransaction();
  const { reportId, videoId, decision, reason } = noted;
  const video = prepared<{ title: string; userId: string | null }>(
    `SELECT title, uploaded_by AS userId FROM videos WHERE id = @videoId
     UNION ALL SELECT title, uploaded_by FROM deleted_videos WHERE id = @videoId`,
  ).get({ videoId });
  // The SELECT returns nothing if the uploader has no account on this site, which can happen if another tool added the
  // video.
  prepared(
    `INSERT INTO uploader_decisions (user_id, report_id, video_id, decision, decided_at, payload)
     SELECT id, @reportId, @videoId, @decision, @at, @payload FROM users WHERE id = @userId`,
  ).run({
    ...{ reportId, videoId, decision, at: new Date(now).toISOString() },
    userId: video?.userId ?? null,
    payload: encryptDecision({ title: video?.title ?? "", reason }),
  });
}

export function encryptDecision(text: DecisionText): string {
  return encrypt(PURPOSE, JSON.stringify(text));
}

/** Returns the latest decisions on a user's videos, newest first. */
export function listUploaderDecisions(userId: string): UploaderDecision[] {
  const rows = prepared<Omit<UploaderDecision, "text"> & { payload: string }>(
    `SELECT uploader_decisions.id, decision, decided_at AS decidedAt, videos.id AS videoId, payload
     FROM uploader_decisions
       LEFT JOIN videos ON videos.id = video_id AND videos.uploaded_by = user_id
     WHERE user_id = ? ORDER BY uploader_decisions.id DESC LIMIT ${MAX_SHOWN}`,
  ).all(userId);
  return rows.map(({ payload, ...decision }) => {
    const text = decrypt(PURPOSE, payload);
    return { ...decision, text: text === undefined ? text : (JSON.parse(text) as DecisionText) };
  });
}

/**
 * Deletes the decisions that are older than REPORT_KEEP and whose reports are closed.
 *
 * @returns the number of deleted decisions.
 */
export function deleteOldDecisions(now = Date.now()): Promise<number> {
  const before = new Date(now - settings().reportKeepMs).toISOString();
  const due = prepared<number>(
    // CROSS JOIN fixes the join order. Otherwise, SQLite would read all closed reports.
    `SELECT uploader_decisions.id FROM uploader_decisions
       CROSS JOIN reports ON reports.id = report_id
     WHERE decided_at <= ? AND state = 'closed' AND NOT ${isPreservedReport("report_id")}
     LIMIT ${DELETE_BATCH_SIZE}`,
  ).pluck();
  const forget = prepared(
    "DELETE FROM uploader_decisions WHERE id IN (SELECT value FROM json_each(?))",
  );
  return changeInBatches(
    () => due.all(before),
    (ids) => forget.run(JSON.stringify(ids)).changes,
  );
}
