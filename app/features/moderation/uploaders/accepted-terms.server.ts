import { prepared, sqliteHandle, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import type { AcceptedTerms } from "./terms";

const EVERY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** After the video is deleted for good, so that who uploaded it can't delete the proof with it. */
const KEPT_AFTER_VIDEO_MS = 365 * DAY_MS;
/** Looked at in one part: a few milliseconds. */
const ROWS_AT_ONCE = 500;

/** That a version was accepted, for the row of a video or of a file that is entered with it. */
export interface Acceptance {
  version: number;
  /** ISO 8601 UTC. */
  acceptedAt: string;
}

/**
 * Keeps what was accepted for a video.
 *
 * @throws outside of a transaction: it is there with the video, or neither is.
 */
export function keepAcceptance(
  videoId: string,
  subject: AcceptedTerms["subject"],
  userId: string,
  acceptance: Acceptance | undefined,
): void {
  if (!acceptance) return;
  if (!sqliteHandle().inTransaction) throw new Error("It is kept in the transaction of the video.");
  prepared(
    `INSERT INTO accepted_terms (video_id, subject, version, user_id, accepted_at)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(videoId, subject, acceptance.version, userId, acceptance.acceptedAt);
}

/**
 * What was accepted for some videos by their id, the earliest first; undefined where no terms were ever
 * written. A video that was there before, or that another program entered, has none.
 */
export function acceptancesOf(
  videoIds: readonly string[],
): Record<string, AcceptedTerms[]> | undefined {
  if (prepared("SELECT 1 FROM upload_terms LIMIT 1").get() === undefined) return undefined;
  const rows = prepared(
    `SELECT video_id AS videoId, version, subject, email AS by, accepted_at AS at
     FROM accepted_terms LEFT JOIN users ON users.id = user_id
     WHERE video_id IN (SELECT value FROM json_each(?)) ORDER BY accepted_terms.id`,
  ).all(JSON.stringify(videoIds)) as (AcceptedTerms & { videoId: string })[];
  const found: Record<string, AcceptedTerms[]> = {};
  for (const id of videoIds) found[id] = [];
  for (const { videoId, ...accepted } of rows) found[videoId]?.push(accepted);
  return found;
}

/** Looks after what was accepted for videos that are deleted, from now on a part each minute. */
export function startAcceptedTerms(): void {
  let last = 0;
  every(EVERY_MS, "delete old accepted terms", async () => {
    last = await forgetAccepted(last);
  });
}

/**
 * Notes for a part of the rows which videos are gone, whoever deleted them, and deletes those whose video
 * was a year ago.
 *
 * @param after the number of the last row of the part before; 0 for the first.
 * @returns the number of the last row of this part; 0 at the end.
 */
export async function forgetAccepted(after = 0, now = Date.now()): Promise<number> {
  const time = new Date(now).toISOString();
  const before = new Date(now - KEPT_AFTER_VIDEO_MS).toISOString();
  const part = prepared(
    `SELECT id, video_gone_at AS goneAt,
       NOT EXISTS (SELECT 1 FROM videos WHERE videos.id = video_id)
         AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE deleted_videos.id = video_id) AS isGone
     FROM accepted_terms WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
  ).all(after) as { id: number; goneAt: string | null; isGone: 0 | 1 }[];
  const changed = part.filter(({ goneAt, isGone }) => (goneAt !== null) !== (isGone === 1));
  const over = part.some(({ goneAt, isGone }) => isGone && goneAt !== null && goneAt <= before);
  if (changed.length > 0 || over) {
    await transaction(() => {
      const note = prepared("UPDATE accepted_terms SET video_gone_at = ? WHERE id = ?");
      // One that was gone may be back, as after a restored backup.
      for (const { id, isGone } of changed) note.run(isGone ? time : null, id);
      prepared("DELETE FROM accepted_terms WHERE video_gone_at <= ?").run(before);
    });
  }
  return part.length < ROWS_AT_ONCE ? 0 : (part.at(-1)?.id ?? 0);
}
