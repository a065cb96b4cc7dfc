import { recordActivity } from "~/account/activity.server";
import { refusalsOf } from "~/trust/publication.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { holdsOf } from "~/visibility/holds.server";
import { applyTimes, isPublic, setTimes } from "~/visibility/visibility.server";
import { database, transaction } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import { every } from "~db/runtime.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { failure, GONE, type StudioFailure } from "../failure";
import { changeableNow } from "../own-videos.server";
import { readSchedule, type TypedSchedule } from "./schedule";

const FAILED = "Failed to schedule video.";
/** A poll reads two small indexes, which takes microseconds. */
const POLL_EVERY_MS = 1_000;
/** Changed in one transaction; what else writes comes in between two. */
const VIDEOS_AT_ONCE = 32;

/**
 * Sets when a video is published and hidden by itself.
 *
 * @returns the failure when nothing was changed: 404 for a deleted row, 403 for who may not schedule it, 422
 *   when a field is wrong.
 */
export async function scheduleVideo(
  { id, ...typed }: { id: string } & TypedSchedule,
  userId: string,
  now = Date.now(),
): Promise<StudioFailure | ToastMessage> {
  return transaction(() => scheduleIn(id, typed, userId, now));
}

function scheduleIn(
  id: string,
  typed: TypedSchedule,
  userId: string,
  now: number,
): StudioFailure | ToastMessage {
  const video = firstRow(
    database().selectFrom("videos").select(["title", "status"]).where("id", "=", id),
  );
  if (!video) return failure(404, FAILED, { detail: GONE });
  const changeable = changeableNow(userId, "/admin schedule", [id], FAILED);
  if ("status" in changeable) return changeable;
  const isPublished = video.status === "published";
  const read = readSchedule(isPublished ? { ...typed, publishAt: "" } : typed, now);
  if ("fields" in read) return failure(422, FAILED, { schedule: { typed, fields: read.fields } });
  const { publishAt, unpublishAt } = read.schedule;
  const isSet = publishAt !== null || unpublishAt !== null;
  setTimes(id, { publishAt, unpublishAt });
  const entry = { userId, action: isSet ? "schedule" : "unschedule", subjectId: id } as const;
  recordActivity({ ...entry, detail: video.title });
  const held = publishAt !== null && refusalsOf([id]).get(id);
  const saved = isSet ? "The schedule has been saved." : "The schedule has been removed.";
  return {
    title: "Video Updated",
    description: held ? `${saved} ${held} It stays hidden until then.` : saved,
    kind: "success",
  };
}

/** Performs what is due, from now on each second; what became due while the site was down, at once. */
export function startSchedule(): void {
  every(POLL_EVERY_MS, "publish or hide scheduled videos", () => performDue(), { firstMs: 0 });
}

/**
 * Publishes and hides the videos whose time has come. One that is held is public once its holds are released.
 *
 * @param now milliseconds since 1970.
 */
export async function performDue(now = Date.now()): Promise<void> {
  const time = new Date(now).toISOString();
  const turn = writingTurns();
  while ((await performSome(time)) > 0) await turn();
}

function performSome(time: string): Promise<number> {
  return transaction(() => {
    const due = applyTimes(time, VIDEOS_AT_ONCE);
    for (const { id, title, change } of due) {
      if (change === "none") continue;
      const appears = isPublic(id) ? "publish-scheduled" : "publish-withheld";
      // A missing record was already recorded by the trigger that holds the video for it.
      if (change === "published" && isHeldForConsentOnly(id)) continue;
      const action = change === "published" ? appears : "hide-scheduled";
      recordActivity({ userId: null, action, subjectId: id, detail: title });
    }
    return due.length;
  });
}

function isHeldForConsentOnly(id: string): boolean {
  return holdsOf([id]).get(id)?.join() === "consent";
}
