import { createHash, randomBytes } from "node:crypto";
import { changeableNow, isRefusal } from "~/features/permissions/may-change.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { type Failure, failure } from "~/platform/failure";
import { database, prepared, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { isBusy } from "~db/write-lock";
import { refusalFailure } from "../refusals.server";

const FAILED = "Failed to create the preview link.";
const HIDDEN = "This video is hidden, so its preview links don't work.";
const IS_HIDDEN = "status = 'hidden' AND publish_at IS NULL";

/** A token with 256 random bits can't be guessed. */
const TOKEN_BYTES = 32;
/** The minimum time between two activity entries for opening a link. Every view is still counted. */
const RECORD_EVERY_MS = 10 * 60 * 1000;

/** Only the hash is stored, so that a copy of the database doesn't give access to drafts. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

/** A preview link as listed in the studio. Times are ISO 8601 UTC. */
export interface PreviewLink {
  /** The link's id for use in forms. The link can't be derived from it. */
  id: string;
  createdAt: string;
  /** The creator's email address; null if the account no longer exists. */
  createdBy: string | null;
  views: number;
  lastViewedAt: string | null;
}

/** Returns the path of a preview link. */
export function previewPath(token: string): string {
  return `/preview/${token}`;
}

/**
 * Creates a link that lets anyone watch a video until the link is revoked.
 *
 * @returns the token, which isn't stored and is shown only once, or a failure: 403 if the user may no longer change the
 *   video, 409 for a hidden video.
 */
export async function createPreviewLink(
  video: { id: string; title: string },
  userId: string,
): Promise<string | Failure> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  return transaction(() => {
    const changeable = changeableNow(userId, "/admin/review/:id link", [video.id]);
    if (isRefusal(changeable)) return refusalFailure(changeable, FAILED);
    if (isHidden(video.id)) return failure(409, FAILED, { detail: HIDDEN });
    runChange(
      database()
        .insertInto("preview_links")
        .values({
          token_hash: hashOf(token),
          video_id: video.id,
          created_by: userId,
          created_at: new Date().toISOString(),
        }),
    );
    const about = { userId, subjectId: video.id, detail: video.title };
    recordActivity({ ...about, action: "preview-link" });
    return token;
  });
}

/** Returns whether a video is hidden and not scheduled to be published. */
function isHidden(videoId: string): boolean {
  return prepared(`SELECT 1 FROM videos WHERE id = ? AND ${IS_HIDDEN}`).get(videoId) !== undefined;
}

/** Returns a video's preview links, newest first. */
export function listPreviewLinks(videoId: string): PreviewLink[] {
  return prepared<PreviewLink>(
    `SELECT token_hash AS id, preview_links.created_at AS createdAt, email AS createdBy, views,
       last_viewed_at AS lastViewedAt
     FROM preview_links LEFT JOIN users ON users.id = created_by
     WHERE video_id = ? ORDER BY preview_links.created_at DESC`,
  ).all(videoId);
}

/** Revokes one of a video's preview links. Returns false if it has already been revoked. */
export async function revokePreviewLink(
  video: { id: string; title: string },
  linkId: string,
  userId: string,
): Promise<boolean> {
  return transaction(() => {
    const changes = runChange(
      database()
        .deleteFrom("preview_links")
        .where("token_hash", "=", linkId)
        .where("video_id", "=", video.id),
    );
    if (changes === 0) return false;
    const about = { userId, subjectId: video.id, detail: video.title };
    recordActivity({ ...about, action: "preview-revoke" });
    return true;
  });
}

/** The video that a link shows. */
export interface Preview {
  linkId: string;
  videoId: string;
  title: string;
  status: string;
  lastViewedAt: string | null;
}

/**
 * Returns the video that a link shows: a draft, a scheduled video, or one that has since become public. Undefined if
 * the link was revoked, if its creator's account is deactivated or deleted, or if the video is hidden, on hold or
 * deleted.
 */
export function findPreview(token: string): Preview | undefined {
  return prepared<Preview>(
    `SELECT token_hash AS linkId, videos.id AS videoId, title, status,
       last_viewed_at AS lastViewedAt
     FROM preview_links JOIN videos ON videos.id = video_id JOIN users ON users.id = created_by
     WHERE token_hash = ? AND NOT held AND NOT (${IS_HIDDEN})
       AND deactivated_at IS NULL`,
  ).get(hashOf(token));
}

/** Counts a view of the video through a link. Doesn't store anything about the viewer. */
export async function countPreview(preview: Preview, now = Date.now()): Promise<void> {
  const { linkId, videoId, title, lastViewedAt } = preview;
  const needsEntry = lastViewedAt === null || now - Date.parse(lastViewedAt) >= RECORD_EVERY_MS;
  try {
    await transaction(() => {
      runChange(
        database()
          .updateTable("preview_links")
          .set((e) => ({
            views: e("views", "+", 1),
            last_viewed_at: new Date(now).toISOString(),
          }))
          .where("token_hash", "=", linkId),
      );
      if (!needsEntry) return;
      const entry = { userId: null, subjectId: videoId, detail: title };
      recordActivity({ ...entry, action: "preview-open" });
    });
  } catch (error) {
    // If another process is writing to the database, the view isn't counted, because the viewer shouldn't have to wait.
    if (!isBusy(error)) throw error;
  }
}
