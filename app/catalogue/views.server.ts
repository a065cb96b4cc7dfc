import { sqliteHandle } from "~db/client.server";

/** Counts wait this long in memory, so that a busy second is one transaction. */
const FLUSH_AFTER_MS = 1_000;

const pending = new Map<string, number>();
let timer: NodeJS.Timeout | undefined;

/** Views of a video that are counted but not yet written. */
export function pendingViews(id: string): number {
  return pending.get(id) ?? 0;
}

/** Counts one view; false when no published video has the id. */
export function countView(id: string): boolean {
  const found = sqliteHandle()
    .prepare("SELECT 1 FROM videos WHERE id = ? AND status = 'published'")
    .get(id);
  if (!found) return false;
  pending.set(id, pendingViews(id) + 1);
  timer ??= setTimeout(flushViews, FLUSH_AFTER_MS).unref();
  return true;
}

/** Writes what is counted in one transaction. What cannot be written now stays for later. */
export function flushViews(): void {
  clearTimeout(timer);
  timer = undefined;
  if (pending.size === 0) return;
  const sqlite = sqliteHandle();
  const add = sqlite.prepare("UPDATE videos SET views = views + ? WHERE id = ?");
  try {
    sqlite.transaction(() => {
      for (const [id, count] of pending) add.run(count, id);
    })();
    pending.clear();
  } catch (error) {
    console.error("Views could not be written and are kept for the next try:", error);
    timer = setTimeout(flushViews, FLUSH_AFTER_MS).unref();
  }
}
