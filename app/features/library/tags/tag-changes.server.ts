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
import { bringBackAliases, setAliasesFor } from "./set-aliases.server";

/** Changed in one transaction; what else writes comes in between two. */
const VIDEOS_AT_ONCE = 32;
/** For so long a change can be undone, as a deletion can. */
const UNDO_MS = 30 * 24 * 60 * 60 * 1000;
const CHANGES_SHOWN = 10;
/** A change that has begun is not given up because another program is writing; nobody waits for it. */
const PATIENCE_MS = 10 * 60 * 1000;

/** One change of tags in all videos: to another tag, or away. */
interface TagChange {
  /** Folded, and as they are written. */
  tags: readonly { tag: string; name: string }[];
  /** What they become; null for nothing. */
  target: string | null;
  /** Whether their names stay as other names of the target. */
  keepsNames: boolean;
}

/** A change as the page of tags shows it. */
export interface ShownTagChange {
  id: number;
  message: string;
  state: TagChangeState;
  /** Videos that were changed. */
  videos: number;
  /** Of a change under way. */
  total?: number;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** What became of a change, or of its undoing. */
export interface TagChangeEnd {
  videos: number;
  /** Videos whose tags somebody has changed since, so they were left alone. */
  left: number;
}

const runExclusive = processState("tag turns", createMutex);
/** What is under way, by the id of the change: how many videos it is about. */
const underWay = processState("tag changes", () => new Map<number, { total: number }>());

/**
 * Changes tags in all videos, whatever their status. The change is written down first and done in small
 * transactions, so that others have their turn and a restart goes on with it.
 *
 * @returns the id of the change and its end; undefined when no video has any of the tags.
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
    const aliases = setAliasesFor(tags, change.target, change.keepsNames);
    const entered = firstRow(
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
    const detail = `${messageOf(names, change.target)} in ${formatQuantity(ids.length, "video")}`;
    recordActivity({ userId, action: "tag-change", detail });
    return entered.id;
  });
  return { id, end: perform(id, ids) };
}

/**
 * Undoes a change: the videos get the tags back that they had, unless somebody has changed them since.
 *
 * @returns undefined when it is not there, under way, or undone already.
 */
export async function undoTagChange(
  id: number,
  userId: string,
): Promise<{ end: Promise<TagChangeEnd> } | undefined> {
  const begun = await transaction(() => {
    const change = firstRow(
      database()
        .updateTable("tag_changes")
        .set({ state: "undoing" })
        .where("id", "=", id)
        .where("state", "=", "done")
        .returning(["tags", "names", "target", "aliases"]),
    );
    if (!change) return false;
    bringBackAliases(JSON.parse(change.tags), JSON.parse(change.aliases));
    const detail = messageOf(change.names, change.target);
    recordActivity({ userId, action: "tag-undo", detail });
    return true;
  });
  return begun ? { end: performUndo(id) } : undefined;
}

/** The latest changes that can be undone or are under way, the latest first. */
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
    .limit(CHANGES_SHOWN)
    .execute();
  return rows.map(({ id, names, target, state, created_at, videos }) => ({
    id,
    message: messageOf(names, target),
    state,
    videos: videos ?? 0,
    ...underWay().get(id),
    createdAt: created_at,
  }));
}

/** Goes on with what the last process began, and forgets what can't be undone any more. */
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
    for (const id of old.all(new Date(now - UNDO_MS).toISOString())) await forget(Number(id));
  } catch (error) {
    console.error("Could not go on with a change of tags:", error);
  }
}

function messageOf(names: string, target: string | null): string {
  return target === null ? `removed the tag ${names}` : `changed the tag ${names} to “${target}”`;
}

async function taggedIds(tags: readonly string[]): Promise<string[]> {
  await ensureProjected();
  return queryThread<string[]>("studio", "tagged-ids", { tags });
}

/** @param found the videos, where they have just been looked for. */
function perform(id: number, found?: readonly string[]): Promise<TagChangeEnd> {
  return runExclusive()(async () => {
    const change = prepared<{
      tags: string;
      target: string | null;
    }>("SELECT tags, target FROM tag_changes WHERE id = ?").get(id)!;
    const tags = JSON.parse(change.tags) as string[];
    const ids = found ?? (await taggedIds(tags));
    underWay().set(id, { total: ids.length });
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
    underWay().set(id, { total: ids.length });
    const videos = await eachPart(
      id,
      ids,
      (part) => transaction(() => bringBackRows(id, part)),
      "undone",
    );
    await forget(id);
    return { videos, left: ids.length - videos };
  });
}

/** Returns how many videos were changed. */
async function eachPart(
  id: number,
  ids: readonly string[],
  work: (part: readonly string[]) => Promise<number>,
  state: TagChangeState,
): Promise<number> {
  try {
    const yieldIfDue = createWriteYielder();
    let videos = 0;
    for (const part of partsOf(ids, VIDEOS_AT_ONCE)) {
      videos += await retryWhileBusy(() => work(part), PATIENCE_MS);
      await yieldIfDue();
    }
    await transaction(() => {
      prepared("UPDATE tag_changes SET state = ? WHERE id = ?").run(state, id);
      // Open pages learn that it is over.
      prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
    });
    return videos;
  } finally {
    underWay().delete(id);
  }
}

/** Returns how many rows were changed. */
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
  const note = prepared(
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
    note.run(id, row.id, row.tags, text);
    update.run(text, now, row.id);
    changed += 1;
  }
  return changed;
}

/** Returns how many rows got their tags back. */
function bringBackRows(id: number, ids: readonly string[]): number {
  return prepared(
    `UPDATE videos SET tags = before, updated_at = @now FROM tag_change_videos
     WHERE change_id = @id AND video_id = videos.id AND tags IS after
       AND video_id IN (SELECT value FROM json_each(@ids))`,
  ).run({ id, ids: JSON.stringify(ids), now: new Date().toISOString() }).changes;
}

/** Removes what is noted of a change, in parts. */
async function forget(id: number): Promise<void> {
  const yieldIfDue = createWriteYielder();
  const some = prepared(
    `DELETE FROM tag_change_videos WHERE change_id = @id AND video_id IN
       (SELECT video_id FROM tag_change_videos WHERE change_id = @id LIMIT 500)`,
  );
  while ((await transaction(() => some.run({ id }).changes)) > 0) await yieldIfDue();
  await transaction(() => prepared("DELETE FROM tag_changes WHERE id = ?").run(id));
}

/**
 * A list of tags with some of them replaced, or without them; undefined when nothing of it changes.
 * The target is in it once: where another tag was it already, that stays.
 *
 * @param from folded.
 * @param target null for removing.
 */
function replaceTags(
  tags: readonly string[],
  from: ReadonlySet<string>,
  target: string | null,
): string[] | undefined {
  const isFrom = (text: string) => from.has(fold(text.trim()));
  const goal = target === null ? undefined : fold(target);
  let isThere = tags.some((text) => !isFrom(text) && fold(text.trim()) === goal);
  const after = tags.flatMap((text) => {
    if (!isFrom(text)) return [text];
    if (target === null || isThere) return [];
    isThere = true;
    return [target];
  });
  const isSame = after.length === tags.length && after.every((text, at) => text === tags[at]);
  return isSame ? undefined : after;
}
