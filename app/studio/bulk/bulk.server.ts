import { sql, type Transaction } from "kysely";
import { recordActivity } from "~/account/activity.server";
import type { CategoryId } from "~/shared/categories";
import { eventLoopTurns, partsOf } from "~/shared/event-loop";
import { formatQuantity } from "~/shared/format";
import { MAX_TAGS } from "~/shared/video-limits";
import { database } from "~db/client.server";
import type { Schema } from "~db/schema";
import { readTags } from "../list/managed-row.server";
import type { Schedule } from "../schedule/schedule";
import { removeVideos } from "../trash/remove.server";
import { type BulkChange, type BulkResult, type DeleteConfirmation, nameTitles } from "./bulk";

const VERBS: Record<BulkChange["action"], string> = {
  publish: "published",
  hide: "hid",
  category: "set the category of",
  "add-tags": "added tags to",
  "remove-tags": "removed tags from",
  schedule: "scheduled",
  unschedule: "removed the schedule of",
  delete: "deleted",
};

interface SelectedVideo {
  id: string;
  title: string;
  status: string;
  category: string;
  tags: string | null;
  publish_at: string | null;
  unpublish_at: string | null;
}

/** Videos changed by one statement; the event loop runs other work between two. */
const VIDEOS_PER_STATEMENT = 32;

/**
 * Does one thing to many videos in one transaction, and says what became of each. Pages are read and
 * timers run meanwhile; only what writes to the database waits for the end.
 */
export async function changeVideos(
  change: BulkChange,
  ids: readonly string[],
  userId: string,
): Promise<BulkResult> {
  if (change.action === "delete") {
    const { titles, batch } = await removeVideos(ids, userId);
    const done = titles.length;
    await recordBulkActivity(change, titles, done, userId);
    return { done, unchanged: 0, gone: ids.length - done, refused: [], batch };
  }
  const result = { done: [] as string[], refused: [] as string[], found: 0 };
  await database()
    .transaction()
    .execute(async (transaction) => {
      const turn = eventLoopTurns();
      for (const some of partsOf(ids, VIDEOS_PER_STATEMENT)) {
        const selected = await selectVideos(transaction, some);
        const { titles, refused } = await apply(transaction, change, selected);
        result.found += selected.length;
        result.done.push(...titles);
        result.refused.push(...refused);
        await turn();
      }
    });
  const { done, refused, found } = result;
  await recordBulkActivity(change, done, done.length, userId);
  const unchanged = found - done.length - refused.length;
  return { done: done.length, unchanged, gone: ids.length - found, refused };
}

/** What the confirmation dialog shows before these videos are deleted. */
export async function describeDeletion(ids: readonly string[]): Promise<DeleteConfirmation> {
  const rows = await database()
    .selectFrom("videos")
    .select(["id", "title", "bytes"])
    .where("id", "in", listed(ids))
    .execute();
  return {
    ids: rows.map((row) => row.id),
    titles: rows.slice(0, 10).map((row) => row.title),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}

/** One parameter for any number of ids. */
function listed(ids: readonly string[]) {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

function selectVideos(
  transaction: Transaction<Schema>,
  ids: readonly string[],
): Promise<SelectedVideo[]> {
  return transaction
    .selectFrom("videos")
    .select(["id", "title", "status", "category", "tags", "publish_at", "unpublish_at"])
    .where("id", "in", listed(ids))
    .execute();
}

interface Changes {
  status?: "published" | "hidden";
  category?: CategoryId;
  publish_at?: string | null;
  unpublish_at?: string | null;
  updated_at?: string;
}

/** Titles of the rows that were changed, and of those that could not be. */
async function apply(
  transaction: Transaction<Schema>,
  change: Exclude<BulkChange, { action: "delete" }>,
  selected: readonly SelectedVideo[],
): Promise<{ titles: string[]; refused: string[] }> {
  const updated_at = new Date().toISOString();
  const set = async (rows: readonly SelectedVideo[], columns: Changes) => {
    const ids = rows.map((row) => row.id);
    await transaction.updateTable("videos").set(columns).where("id", "in", listed(ids)).execute();
    return { titles: rows.map((row) => row.title), refused: [] };
  };
  switch (change.action) {
    case "publish":
    case "hide": {
      const status = change.action === "publish" ? "published" : "hidden";
      return set(
        selected.filter((row) => row.status !== status),
        { status },
      );
    }
    case "category": {
      const { category } = change;
      const columns = { category, updated_at };
      return set(
        selected.filter((row) => row.category !== category),
        columns,
      );
    }
    case "schedule":
      return setSchedules(transaction, change.schedule, selected);
    case "unschedule":
      return set(
        selected.filter((row) => row.publish_at !== null || row.unpublish_at !== null),
        { publish_at: null, unpublish_at: null },
      );
    case "add-tags":
    case "remove-tags":
      return setTags(transaction, change, selected, updated_at);
    default:
      return change satisfies never;
  }
}

/** What is published already can only be hidden at a time, as in the dialog of one video. */
async function setSchedules(
  transaction: Transaction<Schema>,
  { publishAt, unpublishAt }: Schedule,
  selected: readonly SelectedVideo[],
): Promise<{ titles: string[]; refused: string[] }> {
  const refused: string[] = [];
  const changed = selected.flatMap((row) => {
    const isPublished = row.status === "published";
    const publish = isPublished ? row.publish_at : (publishAt ?? row.publish_at);
    const unpublish = unpublishAt ?? row.unpublish_at;
    if (!isPublished && publish && unpublish && unpublish <= publish) {
      refused.push(row.title);
      return [];
    }
    const isSame = publish === row.publish_at && unpublish === row.unpublish_at;
    return isSame ? [] : [{ id: row.id, title: row.title, publish, unpublish }];
  });
  await sql`
    UPDATE videos SET publish_at = given.value ->> 'publish', unpublish_at = given.value ->> 'unpublish'
    FROM json_each(${JSON.stringify(changed)}) AS given
    WHERE videos.id = given.value ->> 'id'`.execute(transaction);
  return { titles: changed.map(({ title }) => title), refused };
}

async function setTags(
  transaction: Transaction<Schema>,
  change: { action: "add-tags" | "remove-tags"; tags: string[] },
  selected: readonly SelectedVideo[],
  updatedAt: string,
): Promise<{ titles: string[]; refused: string[] }> {
  const named = new Set(change.tags.map((tag) => tag.toLowerCase()));
  const titles: string[] = [];
  const refused: string[] = [];
  const rows: { id: string; tags: string | null }[] = [];
  for (const row of selected) {
    const before = readTags(row.tags);
    const has = new Set(before.map((tag) => tag.toLowerCase()));
    const after =
      change.action === "add-tags"
        ? [...before, ...change.tags.filter((tag) => !has.has(tag.toLowerCase()))]
        : before.filter((tag) => !named.has(tag.toLowerCase()));
    if (after.length === before.length) continue;
    if (after.length > MAX_TAGS) {
      refused.push(row.title);
      continue;
    }
    titles.push(row.title);
    rows.push({ id: row.id, tags: after.length > 0 ? JSON.stringify(after) : null });
  }
  await sql`
    UPDATE videos SET tags = given.value ->> 'tags', updated_at = ${updatedAt}
    FROM json_each(${JSON.stringify(rows)}) AS given
    WHERE videos.id = given.value ->> 'id'`.execute(transaction);
  return { titles, refused };
}

async function recordBulkActivity(
  change: BulkChange,
  titles: readonly string[],
  count: number,
  userId: string,
): Promise<void> {
  if (count === 0) return;
  const videos = formatQuantity(count, "video");
  const detail = `${VERBS[change.action]} ${videos}: ${nameTitles(titles, count)}`;
  await recordActivity({ userId, action: "bulk-edit", detail });
}
