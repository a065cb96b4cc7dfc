import { setTimeout } from "node:timers/promises";
import type { CatalogueVersion } from "./catalogue-version";
import { projector, sqliteHandle, tryWriteTransaction } from "./client.server";
import { processState } from "./runtime.server";
import { queryThread } from "./threads/query-thread.server";

export type { CatalogueVersion };

/**
 * The maximum number of changes that the main thread projects, which takes about 6 ms. If more are pending, the writing
 * thread projects them.
 */
const MAX_PROJECTED_INLINE = 64;
/**
 * The pause between two transactions of the writing thread. Other writers retry every 20 ms, so they get a chance to
 * write.
 */
const PAUSE_MS = 25;
/**
 * The maximum number of pending changes that callers wait for. Only imports cause more. Until those are projected,
 * lists are correct, but totals and search results are outdated.
 */
const MAX_AWAITED_CHANGES = 20_000;

interface Projection {
  running?: Promise<void> | undefined;
  /** The message of the last failure; undefined once projecting succeeds again. */
  failure?: string | undefined;
}

const projection = processState<Projection>("projection", () => ({}));

/**
 * Returns the catalogue's current version, including changes made by other processes. The version is negative while
 * there are changes that couldn't be projected immediately. No version is used twice.
 */
export function catalogueVersion(): CatalogueVersion {
  const state = projectPending();
  const { last } = projector().waiting();
  if (last === null) return projector().version();
  if (state === "more") projectOnThread();
  // It isn't known yet whether the public can see the pending changes.
  return { catalogue: -last, views: 0, studio: -last };
}

/**
 * Brings all derived data up to date with the rows of `videos`. Await it before reading derived data. It takes a few
 * microseconds if nothing has changed.
 */
export async function ensureProjected(): Promise<void> {
  if (projectPending() !== "more") return;
  const all = projectOnThread();
  if ((projector().waiting().count ?? 0) <= MAX_AWAITED_CHANGES) await all;
}

/**
 * Projects pending changes in the main thread.
 *
 * @returns "more" if so many changes are pending that the writing thread should project them; "blocked" if another
 * process is writing or projecting fails, for example on a full disk. Pages still work in that case, because lists
 * don't need derived data.
 */
function projectPending(): "done" | "more" | "blocked" {
  const { last, count } = projector().waiting();
  if (last === null) return "done";
  if (projection().running) return "more";
  // The primary projects the changes in a replica.
  if (sqliteHandle().readonly) return "blocked";
  if (count > MAX_PROJECTED_INLINE) return "more";
  try {
    if (!tryWriteTransaction(() => projector().run(MAX_PROJECTED_INLINE))) return "blocked";
  } catch (error) {
    reportOnce(error);
    return "blocked";
  }
  projection().failure = undefined;
  return projector().waiting().last === null ? "done" : "more";
}

function projectOnThread(): Promise<void> {
  const state = projection();
  state.running ??= projectUntilDone().finally(() => {
    state.running = undefined;
  });
  return state.running;
}

/** Projects changes until none are pending, or until another connection keeps the thread from writing. */
async function projectUntilDone(): Promise<void> {
  const sqlite = sqliteHandle();
  const { waiting } = projector();
  try {
    while (await queryThread<boolean>("writing", "project", {})) {
      if (!sqlite.open || waiting().last === null) break;
      await setTimeout(PAUSE_MS);
      if (!sqlite.open) break;
    }
    projection().failure = undefined;
  } catch (error) {
    reportOnce(error);
  }
}

/** Logs a failure only once, because every request retries. */
function reportOnce(error: unknown): void {
  const message = String(error);
  if (projection().failure !== message) {
    console.error("Could not update the derived data:", error);
  }
  projection().failure = message;
}
