import { findFormerBlocks, releaseFormerBlocks } from "~/features/accounts/users/block.server";
import {
  dismissBlockListMatches,
  releaseDespiteScan,
  releaseUncompared,
  rescan,
  retryComparison,
  type Scan,
  scansOf,
} from "~/features/moderation/scan/scans.server";
import { NOT_ALLOWED, type SessionUser } from "~/features/permissions/guard.server";
import { accountNow } from "~/features/permissions/may-change.server";
import { allows } from "~/features/permissions/permissions";
import { matchesOf } from "~/features/processing/comparison/block-list-matches.server";
import { type Uncompared, uncomparedOf } from "~/features/processing/comparison/compared.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { BUSY, type Failure, failure, INCOMPLETE } from "~/platform/failure";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { database, prepared, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { VideoStatus } from "~db/schema";
import { isBusy } from "~db/write-lock";
import {
  createPreviewLink,
  listPreviewLinks,
  type PreviewLink,
  previewPath,
  revokePreviewLink,
} from "./preview-links.server";

const FAILED = "Failed to update the review.";
const RESEMBLES_ANOTHER =
  "It also resembles another removed video that was found in the meantime. Compare it with that one too.";
const MAX_NOTE_LENGTH = 2_000;
const NOTES_SHOWN = 200;

/** A note on a video. The time is ISO 8601 UTC. */
export interface ReviewNote {
  id: number;
  /** The author's email address; null if the account no longer exists. */
  email: string | null;
  text: string;
  createdAt: string;
}

/** The data for a video's review page. */
export interface Review {
  video: {
    id: string;
    title: string;
    status: VideoStatus;
    held: 0 | 1;
    /** When the video was marked as ready for an editor (ISO 8601, UTC). */
    readyAt: string | null;
    thumbnailUrl: string | null;
    videoUrl: string;
    uploader: string | null;
  };
  /** The block list entries that the video resembles, except those that it was marked as different from. */
  blockedMatches: string[];
  /** Set if the video's comparison with the block list is pending or has failed. */
  uncompared?: Uncompared;
  /** Whether the video is on hold because a former owner's account is blocked. */
  isHeldForFormerUploader: boolean;
  /** The video's scans that are unfinished or that found something. */
  scans: Scan[];
  notes: ReviewNote[];
  links: PreviewLink[];
}

/**
 * Returns a video's review, or undefined if the video doesn't exist.
 *
 * @param uploadedBy a user id. If it is given, the result is also undefined if someone else uploaded the video.
 * @param seesReasons whether to include the findings of the upload scan.
 */
export function loadReview(
  id: string,
  uploadedBy?: string,
  seesReasons = uploadedBy === undefined,
): Review | undefined {
  const video = prepared<Review["video"]>(
    `SELECT videos.id, title, status, held, ready_at AS readyAt, thumbnail_url AS thumbnailUrl,
       video_url AS videoUrl, email AS uploader
     FROM videos LEFT JOIN users ON users.id = uploaded_by
     WHERE videos.id = @id AND (@uploadedBy IS NULL OR uploaded_by = @uploadedBy)`,
  ).get({ id, uploadedBy: uploadedBy ?? null });
  if (!video) return undefined;
  const notes = prepared<ReviewNote>(
    `SELECT review_notes.id, email, text, review_notes.created_at AS createdAt
     FROM review_notes LEFT JOIN users ON users.id = user_id
     WHERE video_id = ? ORDER BY review_notes.id DESC LIMIT ${NOTES_SHOWN}`,
  ).all(id);
  return {
    video,
    notes: notes.reverse(),
    links: listPreviewLinks(id),
    blockedMatches: matchesOf(id),
    uncompared: uncomparedOf(id),
    isHeldForFormerUploader: findFormerBlocks(id).length > 0,
    // Uploaders don't see the reasons, because knowing them could help uploaders evade the scan.
    scans: scansOf(id).map((scan) => (seesReasons ? scan : { ...scan, reason: "" })),
  };
}

/** A failure, including the entered note. */
export interface ReviewFailure extends Failure {
  note?: string;
}

export type ReviewResult = ReviewFailure | ToastMessage | { path: string };

/**
 * Handles a form on the review page. `intent` is one of:
 * - `note`, `ready`, `unready`, with the text in `note`;
 * - `link`, or `revoke` with the id of the link in `link`;
 * - `other-video` with block list entries in `videos`, `compare-again`, `release-uncompared`, `release-blocked`;
 * - `release-scan`, `scan-again`, with the scanned file in `scan`.
 */
export async function performReview(
  form: FormData,
  video: Review["video"],
  user: SessionUser,
): Promise<ReviewResult> {
  const text = (name: string) => String(form.get(name) ?? "");
  try {
    return await perform(text, video, user);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { ...failure(503, FAILED, { detail: BUSY }), note: text("note") };
  }
}

async function perform(
  text: (name: string) => string,
  video: Review["video"],
  user: SessionUser,
): Promise<ReviewResult> {
  const intent = text("intent");
  if (intent === "other-video") {
    const videos = text("videos").split(",").filter(Boolean);
    if (!(await dismissBlockListMatches(video, videos, user.id)))
      return failure(404, FAILED, { detail: "It has already been marked as different." });
    const others = matchesOf(video.id).length > 0;
    return done(
      others ? RESEMBLES_ANOTHER : "The video is no longer on hold for resembling a removed video.",
    );
  }
  if (intent === "compare-again") return retryComparison(video, user.id);
  if (intent === "release-uncompared") return releaseUncompared(video, user.id);
  if (intent === "release-blocked") {
    if (!(await releaseFormerBlocks(video, user.id)))
      return failure(409, FAILED, { detail: "This video is no longer on hold for this reason." });
    return done(
      isPublic(video.id)
        ? "The video is published."
        : "The video is no longer on hold for this reason.",
    );
  }
  if (intent === "release-scan")
    return releaseDespiteScan(video, text("scan"), text("sure") !== "", user.id);
  if (intent === "scan-again") return rescan(video, text("scan"), user.id);
  if (intent === "link") {
    const token = await createPreviewLink(video, user.id);
    return typeof token === "string" ? { path: previewPath(token) } : token;
  }
  if (intent === "revoke") {
    const isRevoked = await revokePreviewLink(video, text("link"), user.id);
    if (isRevoked) return done("The preview link was revoked.");
    return failure(404, FAILED, { detail: "This link was already revoked." });
  }
  const note = text("note").trim();
  if (note.length > MAX_NOTE_LENGTH) {
    return {
      ...failure(422, FAILED, {
        detail: `A note can have at most ${MAX_NOTE_LENGTH.toLocaleString("en")} characters.`,
      }),
      note,
    };
  }
  if (intent === "note") {
    if (!note) return failure(422, FAILED, { detail: "Write a note first." });
    return writeReview(video, note, user, undefined);
  }
  if (intent !== "ready" && intent !== "unready") {
    return INCOMPLETE;
  }
  return writeReview(video, note, user, intent === "ready");
}

/** Stores the note if it isn't empty, and marks the video as ready or not ready if the form requests it. */
async function writeReview(
  { id, title }: Review["video"],
  note: string,
  user: SessionUser,
  isReady: boolean | undefined,
): Promise<ReviewResult> {
  return transaction((): ReviewResult => {
    const about = { userId: user.id, subjectId: id, detail: title };
    const account = accountNow(user.id);
    if (!account || !allows(account, "/admin/review/:id note")) {
      return { ...failure(403, FAILED, { detail: NOT_ALLOWED }), note };
    }
    if (isReady !== undefined) {
      if (!setReady(id, isReady)) {
        return { ...failure(409, FAILED, { detail: NO_DRAFT }), note };
      }
      const action = isReady ? "review-ready" : "review-back";
      recordActivity({ ...about, action });
    }
    if (note) {
      runChange(
        database().insertInto("review_notes").values({
          video_id: id,
          user_id: user.id,
          text: note,
          created_at: new Date().toISOString(),
        }),
      );
      if (isReady === undefined) {
        recordActivity({ ...about, action: "review-note" });
      }
    }
    if (isReady === undefined) return done("Note added.");
    return done(isReady ? "Ready for review." : "Sent back to the uploader.");
  });
}

const NO_DRAFT = "This video is no longer a draft.";

function setReady(id: string, isReady: boolean): boolean {
  const changes = runChange(
    database()
      .updateTable("videos")
      .set({ ready_at: isReady ? new Date().toISOString() : null })
      .where("id", "=", id)
      .where("status", "=", "review"),
  );
  return changes > 0;
}

const done = (description: string) => success("Review", description);
