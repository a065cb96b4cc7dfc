import { database } from "~db/client.server";

/** For so long the admin list offers to undo a deletion; the trash has it for longer. */
export const RECENT_MS = 10 * 60 * 1000;
/** Deletions that are offered for undoing, and the titles that are named of each. */
const DELETIONS_SHOWN = 10;
const TITLES_SHOWN = 5;

/** What was deleted at once, by one press of a button. */
export interface Deletion {
  /** Names the deletion in the form that undoes it. */
  batch: string;
  /** Some of the titles. */
  titles: string[];
  videos: number;
}

/** The deletions of the last minutes, the latest first. */
export async function listDeletions(now = Date.now()): Promise<Deletion[]> {
  const batches = await database()
    .selectFrom("deleted_videos")
    .select((e) => ["deleted_at", e.fn.countAll<number>().as("videos")])
    .where("deleted_at", ">", new Date(now - RECENT_MS).toISOString())
    .groupBy("deleted_at")
    .orderBy("deleted_at", "desc")
    .limit(DELETIONS_SHOWN)
    .execute();
  return Promise.all(
    batches.map(async ({ deleted_at, videos }) => ({
      batch: deleted_at,
      videos,
      titles: await titlesOf(deleted_at),
    })),
  );
}

async function titlesOf(batch: string): Promise<string[]> {
  const rows = await database()
    .selectFrom("deleted_videos")
    .select("title")
    .where("deleted_at", "=", batch)
    .limit(TITLES_SHOWN)
    .execute();
  return rows.map(({ title }) => title);
}
