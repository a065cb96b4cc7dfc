import { refusalsOf } from "~/features/consent/validity.server";
import type { Refusal } from "~/features/permissions/may-change.server";
import { changeableNow, isRefusal } from "~/features/permissions/may-change.server";
import { holdsOf } from "~/features/visibility/holds.server";
import { readSchedule, type TypedSchedule } from "~/features/visibility/schedule";
import {
  applyTimes,
  isPublic,
  setTimes,
  setVisibility,
} from "~/features/visibility/visibility.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { database, transaction } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import { every } from "~db/runtime.server";
import type { VideoStatus } from "~db/schema";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import type { FormRefusal } from "./managed-video";

/** Polling is cheap: it reads two small indexes, which takes microseconds. */
const POLL_EVERY_MS = 1_000;
/** Kept small, so that other writes can run between two transactions. */
const VIDEOS_PER_TRANSACTION = 32;

export interface VisibilityChange {
  now: "visible" | "hidden";
}

/**
 * Hides a published video and publishes any other video.
 *
 * @param expectedStatus the status that was shown to the user. The change is refused if the actual status differs, so
 *   that the second of two admins doesn't undo the first one's change.
 */
export function toggleVideo(
  { id, expectedStatus }: { id: string; expectedStatus?: VideoStatus },
  userId: string,
): Promise<VisibilityChange | Refusal> {
  return transaction(() => changeVisibilityIn(id, "toggle", userId, expectedStatus));
}

/** Publishes, hides or toggles a video within the caller's transaction. */
export function changeVisibilityIn(
  id: string,
  change: "publish" | "hide" | "toggle",
  userId: string,
  expectedStatus?: VideoStatus,
): VisibilityChange | Refusal {
  const video = findVideo(id);
  if (!video) return { code: "gone" };
  const changeable = changeableNow(userId, "/admin toggle", [id]);
  if (isRefusal(changeable)) return changeable;
  if (expectedStatus && expectedStatus !== video.status) return { code: "status-changed" };
  const toggled = video.status === "published" ? "hide" : "publish";
  const order = change === "toggle" ? toggled : change;
  if (order === "publish" && video.status !== "published") {
    const reason = refusalsOf([id]).get(id);
    if (reason) return { code: "not-publishable", reason };
  }
  if (setVisibility(id, order)) {
    const action = order === "publish" ? "show" : "hide";
    recordActivity({ userId, action, subjectId: id, detail: video.title });
  }
  return { now: order === "publish" ? "visible" : "hidden" };
}

export interface ScheduleChange {
  isSet: boolean;
  /** The reason why the video will stay hidden at its scheduled time if it is still on hold at that time. */
  holdMessage?: string;
}

/** Sets when a video is automatically published and hidden. */
export function scheduleVideo(
  { id, ...typed }: { id: string } & TypedSchedule,
  userId: string,
): Promise<ScheduleChange | FormRefusal> {
  return transaction(() => scheduleIn(id, typed, userId));
}

/** Sets a video's schedule within the caller's transaction. */
export function scheduleIn(
  id: string,
  typed: TypedSchedule,
  userId: string,
  now = Date.now(),
): ScheduleChange | FormRefusal {
  const video = findVideo(id);
  if (!video) return { code: "gone" };
  const changeable = changeableNow(userId, "/admin schedule", [id]);
  if (isRefusal(changeable)) return changeable;
  const isPublished = video.status === "published";
  const read = readSchedule(isPublished ? { ...typed, publishAt: "" } : typed, now);
  if ("fields" in read) return { code: "invalid-schedule", schedule: { typed, ...read } };
  const { publishAt, unpublishAt } = read.schedule;
  const isSet = publishAt !== null || unpublishAt !== null;
  setTimes(id, { publishAt, unpublishAt });
  const entry = { userId, action: isSet ? "schedule" : "unschedule", subjectId: id } as const;
  recordActivity({ ...entry, detail: video.title });
  const holdMessage = publishAt === null ? undefined : refusalsOf([id]).get(id);
  return { isSet, ...(holdMessage && { holdMessage }) };
}

function findVideo(id: string) {
  return firstRow(database().selectFrom("videos").select(["title", "status"]).where("id", "=", id));
}

/** Applies due schedules every second, starting with those that became due while the site was down. */
export function startSchedule(): void {
  every(POLL_EVERY_MS, "publish or hide scheduled videos", () => performDue(), { firstMs: 0 });
}

/**
 * Publishes and hides the videos that are due. A video on hold becomes public once its holds are released.
 *
 * @param now Unix time in milliseconds.
 */
export async function performDue(now = Date.now()): Promise<void> {
  const time = new Date(now).toISOString();
  const yieldIfDue = createWriteYielder();
  while ((await performBatch(time)) > 0) await yieldIfDue();
}

function performBatch(time: string): Promise<number> {
  return transaction(() => {
    const due = applyTimes(time, VIDEOS_PER_TRANSACTION);
    for (const { id, title, change } of due) {
      if (change === "none") continue;
      const appears = isPublic(id) ? "publish-scheduled" : "publish-withheld";
      // A missing consent record has already been logged by the trigger that put the video on hold.
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
