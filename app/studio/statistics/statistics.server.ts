import { projected } from "~db/changes.server";
import { database } from "~db/client.server";
import { totalsByCategory } from "../list/list-totals.server";
import type { PeriodDays, Statistics } from "./statistics";

const DAY_MS = 86_400_000;
const TOP_VIDEOS = 10;

/** Views by day and by video over the days that end today (UTC), and storage by category. */
export async function readStatistics(days: PeriodDays, now = Date.now()): Promise<Statistics> {
  const period = Array.from({ length: days }, (_, index) =>
    new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const from = period[0] ?? "";
  await projected();
  return {
    days: await viewsByDay(period, from),
    videos: await viewsByVideo(from),
    storage: await storageByCategory(),
  };
}

async function viewsByDay(period: readonly string[], from: string) {
  const rows = await database()
    .selectFrom("view_days")
    .select((e) => ["day", e.fn.sum<number>("views").as("views")])
    .where("day", ">=", from)
    .groupBy("day")
    .execute();
  const views = new Map(rows.map((row) => [row.day, row.views]));
  return period.map((day) => ({ day, views: views.get(day) ?? 0 }));
}

function viewsByVideo(from: string) {
  return database()
    .selectFrom("view_days")
    .innerJoin("videos", "videos.id", "view_days.video_id")
    .select((e) => ["videos.id", "videos.title", e.fn.sum<number>("view_days.views").as("views")])
    .where("day", ">=", from)
    .groupBy("videos.id")
    .orderBy((e) => e.fn.sum("view_days.views"), "desc")
    .orderBy("videos.id")
    .limit(TOP_VIDEOS)
    .execute();
}

async function storageByCategory() {
  const totals = await totalsByCategory();
  return [...totals]
    .map(([category, { videos, bytes }]) => ({ category, videos, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.category < b.category ? -1 : 1));
}
