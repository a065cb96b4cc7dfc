import type { Transaction } from "kysely";
import { recordActivity } from "~/account/activity.server";
import { awaitRecord } from "~/trust/consent/requirement.server";
import { withhold } from "~/trust/holds.server";
import { lacksOnlyRecord, refusalsOf } from "~/trust/publication.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { database, prepared } from "~db/client.server";
import { every } from "~db/runtime.server";
import type { Schema } from "~db/schema";
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
  return database()
    .transaction()
    .execute((transaction) => scheduleIn(transaction, id, typed, userId, now));
}

async function scheduleIn(
  transaction: Transaction<Schema>,
  id: string,
  typed: TypedSchedule,
  userId: string,
  now: number,
): Promise<StudioFailure | ToastMessage> {
  const video = await transaction
    .selectFrom("videos")
    .select(["title", "status"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!video) return failure(404, FAILED, { detail: GONE });
  const changeable = changeableNow(userId, "/admin schedule", [id], FAILED);
  if ("status" in changeable) return changeable;
  const isPublished = video.status === "published";
  const read = readSchedule(isPublished ? { ...typed, publishAt: "" } : typed, now);
  if ("fields" in read) return failure(422, FAILED, { schedule: { typed, fields: read.fields } });
  const { publishAt, unpublishAt } = read.schedule;
  const isSet = publishAt !== null || unpublishAt !== null;
  await transaction
    .updateTable("videos")
    .set({ publish_at: publishAt, unpublish_at: unpublishAt })
    .where("id", "=", id)
    .execute();
  const entry = { userId, action: isSet ? "schedule" : "unschedule", subjectId: id } as const;
  await recordActivity({ ...entry, detail: video.title }, transaction);
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
 * Publishes and hides the videos whose time has come, and removes that time from their rows. What is held
 * stays hidden; what only lacks its record of consent keeps its time, and is published once that is there.
 *
 * @param now milliseconds since 1970.
 */
export async function performDue(now = Date.now()): Promise<void> {
  const time = new Date(now).toISOString();
  const turn = writingTurns();
  for (;;) {
    const ids = dueIds(time);
    if (ids.length === 0) return;
    await database()
      .transaction()
      .execute((transaction) => perform(transaction, ids, time));
    await turn();
  }
}

/** One that is due for both is in it twice. */
function dueIds(time: string): string[] {
  return prepared(
    // With UNION, SQLite reads both halves in the order of their ids: the whole table.
    `SELECT id FROM videos WHERE publish_at <= @time AND NOT EXISTS (
       SELECT 1 FROM consent_waits WHERE video_id = id AND consent_waits.publish_at = videos.publish_at)
     UNION ALL SELECT id FROM videos WHERE unpublish_at <= @time
     LIMIT ${VIDEOS_AT_ONCE}`,
  )
    .pluck()
    .all({ time }) as string[];
}

async function perform(
  transaction: Transaction<Schema>,
  ids: readonly string[],
  time: string,
): Promise<void> {
  const rows = await transaction
    .selectFrom("videos")
    .select(["id", "title", "status", "publish_at", "unpublish_at"])
    .where("id", "in", ids)
    .execute();
  const refusals = refusalsOf(ids);
  const withoutRecord = lacksOnlyRecord(ids);
  for (const { id, title, status, publish_at, unpublish_at } of rows) {
    const isDue = (at: string | null) => at !== null && at <= time;
    const isOver = isDue(unpublish_at);
    const isToAppear = isDue(publish_at) && !isOver && status !== "published";
    const appears = isToAppear && !refusals.has(id);
    const leaves = isOver && status === "published";
    if (isToAppear && withoutRecord.has(id)) {
      awaitRecord(id);
      const entry = { userId: null, action: "consent-withheld", subjectId: id } as const;
      await recordActivity({ ...entry, detail: title }, transaction);
      continue;
    }
    await transaction
      .updateTable("videos")
      .set({
        // In the lists it is as new as its publication.
        ...(appears && publish_at && { status: "published", created_at: publish_at }),
        ...(leaves && { status: "hidden" }),
        ...(isDue(publish_at) && { publish_at: null }),
        ...(isOver && { unpublish_at: null }),
      })
      .where("id", "=", id)
      .execute();
    // What is held appears once nothing holds it, unless it is to be hidden by then.
    if (refusals.has(id) && (isToAppear || isOver)) withhold(id, isToAppear);
    if (!isToAppear && !leaves) continue;
    const action = appears ? "publish-scheduled" : leaves ? "hide-scheduled" : "publish-withheld";
    await recordActivity({ userId: null, action, subjectId: id, detail: title }, transaction);
  }
}
