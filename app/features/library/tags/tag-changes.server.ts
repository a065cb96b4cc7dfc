import { recordActivity } from "~/platform/activity/activity.server";
import { createMutex, partsOf } from "~/shared/event-loop";
import { fold } from "~/shared/fold";
import { formatQuantity, nameTitles } from "~/shared/format";
import { PUBLIC_CHANGE } from "~db/catalogue-version";
import { ensureProjected } from "~db/changes.server";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import { processState } from "~db/runtime.server";
import type { TagChangeState } from "~db/schema/catalogue";
import { readTags } from "~db/tags";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { queryThread } from "~db/threads/query-thread.server";
import { retryWhileBusy } from "~db/write-lock";
import { moveAliases, restoreAliases } from "./set-aliases.server";

/** Kept small, so that other writes can run between two transactions. */
const VIDEOS_PER_TRANSACTION = 32;
/** How long a change can be undone; the same as for deletions. */
const UNDO_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_CHANGES_SHOWN = 10;
/**
 * While another process is writing, a change that has started keeps retrying for a long time, because no user is
 * waiting for the change.
 */
const RETRY_FOR_MS = 10 * 60 * 1000;

/** A change to tags in all videos: merging them into another tag, or removing them. */
interface TagChange {
  /** The tags to change. `tag` is case-folded, and `name` is the most common spelling. */
  tags: readonly { tag: string; name: string }[];
  /** The tag that replaces the old tags; null to remove them. */
  target: string | null;
  /** Whether the names of the old tags become aliases of the target. */
  keepsAsAliases: boolean;
}

/** A change as shown on the Tags page. */
export interface ShownTagChange {
  id: number;
  message: string;
  state: TagChangeState;
  /** The number of videos changed so far. */
  videos: number;
  /** The total number of videos to change, while the change is running. */
  total?: number;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** The result of a change, or of undoing one. */
export interface TagChangeEnd {
  videos: number;
  /** The number of videos that weren't restored because their tags have changed since. */
  left: number;
}

const runExclusive = processState("tag mutex", createMutex);
/** The running changes by id, with the number of videos to change. */
const runningChanges = processState("tag changes", () => new Map<number, { total: number }>());

/**
 * Changes tags in all videos, regardless of their status. The change is stored first and then performed in small
 * transactions, so that it doesn't block other writes and can resume after a restart.
 *
 * @returns the change's id and a promise for its result; undefined if no video has any of the tags.
 */
export async function changeTags(
  change: TagChange,
  userId: string,
): Promise<{ id: number; end: Promise<TagChangeEnd> } | undefined> {
  const tags = change.tags.map(({ tag }) => tag);
  const ids = await taggedIds(tags);
  if (ids.length === 0) return undefined;
  const names = nameTitles(change.tags.map(({ name }) => name));
  const id = await transaction(() => {
    const aliases = moveAliases(tags, change.target, change.keepsAsAliases);
    const inserted = firstRow(
      database()
        .insertInto("tag_changes")
        .values({
          tags: JSON.stringify(tags),
          names,
          target: change.target,
          aliases: JSON.stringify(aliases),
          user_id: userId,
        })
        .returning("id"),
    )!;
    const where = change.target === null ? "from" : "in";
    const videos = formatQuantity(ids.length, "video");
    const detail = `${messageOf(names, change.target)} ${where} ${videos}`;
    recordActivity({ userId, action: "tag-change", detail });
    return inserted.id;
  });
  return { id, end: perform(id, ids) };
}

/**
 * Undoes a change by restoring the tags of the changed videos, except where they have been changed again since.
 *
 * @returns undefined if the change doesn't exist, is still running, or has already been undone.
 */
export async function undoTagChange(
  id: number,
  userId: string,
): Promise<{ end: Promise<TagChangeEnd> } | undefined> {
  const started = await transaction(() => {
    const change = firstRow(
      database()
        .updateTable("tag_changes")
        .set({ state: "undoing" })
        .where("id", "=", id)
        .where("state", "=", "done")
        .returning(["tags", "names", "target", "aliases"]),
    );
    if (!change) return false;
    restoreAliases(JSON.parse(change.tags), JSON.parse(change.aliases));
    const detail = messageOf(change.names, change.target);
    recordActivity({ userId, action: "tag-undo", detail });
    return true;
  });
  return started ? { end: performUndo(id) } : undefined;
}

/** Returns the latest changes that are running or can be undone, newest first. */
export async function listTagChanges(now = Date.now()): Promise<ShownTagChange[]> {
  const rows = await database()
    .selectFrom("tag_changes")
    .select(["id", "names", "target", "state", "created_at"])
    .select((e) =>
      e
        .selectFrom("tag_change_videos")
        .whereRef("change_id", "=", "tag_changes.id")
        .select((inner) => inner.fn.countAll<number>().as("videos"))
        .as("videos"),
    )
    .where("state", "!=", "undone")
    .where("created_at", ">", new Date(now - UNDO_MS).toISOString())
    .orderBy("id", "desc")
    .limit(MAX_CHANGES_SHOWN)
    .execute();
  return rows.map(({ id, names, target, state, created_at, videos }) => ({
    id,
    message: messageOf(names, target),
    state,
    videos: videos ?? 0,
    ...runningChanges().get(id),
    createdAt: created_at,
  }));
}

/**
 * Resumes the changes that were running when the previous process ended, and deletes those that can no longer be
 * undone.
 */
export async function resumeTagChanges(now = Date.now()): Promise<void> {
  try {
    const open = await database()
      .selectFrom("tag_changes")
      .select(["id", "state"])
      .where("state", "in", ["running", "undoing"])
      .orderBy("id")
      .execute();
    for (const { id, state } of open) await (state === "running" ? perform(id) : performUndo(id));
    const old = prepared("SELECT id FROM tag_changes WHERE created_at <= ?").pluck();
    for (const id of old.all(new Date(now - UNDO_MS).toISOString())) await deleteChange(Number(id));
  } catch (error) {
    console.error("Could not resume a tag change:", error);
  }
}

function messageOf(names: string, target: string | null): string {
  return target === null ? `removed the tag ${names}` : `changed the tag ${names} to “${target}”`;
}

async function taggedIds(tags: readonly string[]): Promise<string[]> {
  await ensureProjected();
  return queryThread<string[]>("studio", "tagged-ids", { tags });
}

/**
 * @param found the ids of the videos to change, if they are already known from a search.
 */
function perform(id: number, found?: readonly string[]): Promise<TagChangeEnd> {
  return runExclusive()(async () => {
    const change = prepared<{
      tags: string;
      target: string | null;
    }>("SELECT tags, target FROM tag_changes WHERE id = ?").get(id)!;
    const tags = JSON.parse(change.tags) as string[];
    const ids = found ?? (await taggedIds(tags));
    runningChanges().set(id, { total: ids.length });
    const from = new Set(tags);
    const changePart = (part: readonly string[]) =>
      transaction(() => changeRows(id, part, from, change.target));
    const videos = await eachPart(id, ids, changePart, "done");
    return { videos, left: 0 };
  });
}

function performUndo(id: number): Promise<TagChangeEnd> {
  return runExclusive()(async () => {
    const ids = prepared<string>("SELECT video_id FROM tag_change_videos WHERE change_id = ?")
      .pluck()
      .all(id);
    runningChanges().set(id, { total: ids.length });
    const videos = await eachPart(
      id,
      ids,
      (part) => transaction(() => restoreRows(id, part)),
      "undone",
    );
    await deleteChange(id);
    return { videos, left: ids.length - videos };
  });
}

/** Returns the number of videos that were changed. */
async function eachPart(
  id: number,
  ids: readonly string[],
  work: (part: readonly string[]) => Promise<number>,
  state: TagChangeState,
): Promise<number> {
  try {
    const yieldIfDue = createWriteYielder();
    let videos = 0;
    for (const part of partsOf(ids, VIDEOS_PER_TRANSACTION)) {
      videos += await retryWhileBusy(() => work(part), RETRY_FOR_MS);
      await yieldIfDue();
    }
    await transaction(() => {
      prepared("UPDATE tag_changes SET state = ? WHERE id = ?").run(state, id);
      // Notifies open pages that the change is complete.
      prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
    });
    return videos;
  } finally {
    runningChanges().delete(id);
  }
}

/** Returns the number of rows that were changed. */
function changeRows(
  id: number,
  ids: readonly string[],
  from: ReadonlySet<string>,
  target: string | null,
): number {
  const rows = prepared<{ id: string; tags: string }>(
    `SELECT id, tags FROM videos
     WHERE id IN (SELECT value FROM json_each(?)) AND tags IS NOT NULL`,
  ).all(JSON.stringify(ids));
  const record = prepared(
    `INSERT INTO tag_change_videos (change_id, video_id, before, after) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET after = excluded.after`,
  );
  const update = prepared("UPDATE videos SET tags = ?, updated_at = ? WHERE id = ?");
  const now = new Date().toISOString();
  let changed = 0;
  for (const row of rows) {
    const after = replaceTags(readTags(row.tags), from, target);
    if (!after) continue;
    const text = after.length > 0 ? JSON.stringify(after) : null;
    record.run(id, row.id, row.tags, text);
    update.run(text, now, row.id);
    changed += 1;
  }
  return changed;
}

/** Returns the number of rows that were restored. */
function restoreRows(id: number, ids: readonly string[]): number {
  return prepared(
    `UPDATE videos SET tags = before, updated_at = @now FROM tag_change_videos
     WHERE change_id = @id AND video_id = videos.id AND tags IS after
       AND video_id IN (SELECT value FROM json_each(@ids))`,
  ).run({ id, ids: JSON.stringify(ids), now: new Date().toISOString() }).changes;
}

/** Deletes a change's records in batches. */
async function deleteChange(id: number): Promise<void> {
  const yieldIfDue = createWriteYielder();
  const some = prepared(
    `DELETE FROM tag_change_videos WHERE change_id = @id AND video_id IN
       (SELECT video_id FROM tag_change_videos WHERE change_id = @id LIMIT 500)`,
  );
  while ((await transaction(() => some.run({ id }).changes)) > 0) await yieldIfDue();
  await transaction(() => prepared("DELETE FROM tag_changes WHERE id = ?").run(id));
}

/**
 * Replaces or removes tags in a list. The target occurs only once in the result; if the list already contains it, the
 * existing tag stays.
 *
 * @param from the case-folded tags to replace.
 * @param target the tag to replace them with; null to remove them.
 * @returns undefined if nothing changes.
 */
function replaceTags(
  tags: readonly string[],
  from: ReadonlySet<string>,
  target: string | null,
): string[] | undefined {
  const isFrom = (text: string) => from.has(fold(text.trim()));
  const targetTag = target === null ? undefined : fold(target);
  let hasTarget = tags.some((text) => !isFrom(text) && fold(text.trim()) === targetTag);
  const after = tags.flatMap((text) => {
    if (!isFrom(text)) return [text];
    if (target === null || hasTarget) return [];
    hasTarget = true;
    return [target];
  });
  const isSame = after.length === tags.length && after.every((text, at) => text === tags[at]);
  return isSame ? undefined : after;
}
