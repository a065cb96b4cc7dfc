import { setTimeout } from "node:timers/promises";
import type { CatalogueVersion } from "./catalogue-version";
import { projector, sqliteHandle, tryWriteTransaction } from "./client.server";
import { processState } from "./runtime.server";
import { queryThread } from "./threads/query-thread.server";

export type { CatalogueVersion };

/** So many changes are projected by the thread that serves requests, in some 6 ms; a thread does more. */
const MAX_PROJECTED_HERE = 64;
/** Between two transactions of that thread, for others who wait to write: they try every 20 ms. */
const PAUSE_MS = 25;
/** So many changes are waited for. More come of an import: until they have been projected, lists are
 * right, and totals and searches are those of what has been projected. */
const MAX_WAITED_FOR = 20_000;

interface Projection {
  running?: Promise<void> | undefined;
  /** The message of the last failure, until a success. */
  failure?: string | undefined;
}

const projection = processState<Projection>("projection", () => ({}));

/**
 * The version of the catalogue at this moment, whoever wrote. It also tells that something has
 * changed while changes wait that could not be projected at once: it is below 0 then. No version is
 * used twice.
 */
export function catalogueVersion(): CatalogueVersion {
  const state = projectSome();
  const { last } = projector().waiting();
  if (last === null) return projector().version();
  if (state === "more") projectOnThread();
  // Whether the public will see what waits is not known yet.
  return { catalogue: -last, views: 0, studio: -last };
}

/**
 * Brings all derived data up to the rows of `videos`. Whoever reads derived data awaits this first;
 * when nothing has changed, that takes some microseconds.
 */
export async function projected(): Promise<void> {
  if (projectSome() !== "more") return;
  const all = projectOnThread();
  if ((projector().waiting().count ?? 0) <= MAX_WAITED_FOR) await all;
}

/**
 * "more" when there are many changes, which the thread should take into account, and "blocked" when
 * another process is writing, and when projecting fails, as on a full disk: lists need nothing that is
 * derived, so pages go on.
 */
function projectSome(): "done" | "more" | "blocked" {
  const { last, count } = projector().waiting();
  if (last === null) return "done";
  if (projection().running) return "more";
  // A copy is projected where it comes from.
  if (sqliteHandle().readonly) return "blocked";
  if (count > MAX_PROJECTED_HERE) return "more";
  try {
    if (!tryWriteTransaction(() => projector().run(MAX_PROJECTED_HERE))) return "blocked";
  } catch (error) {
    reportOnce(error);
    return "blocked";
  }
  projection().failure = undefined;
  return projector().waiting().last === null ? "done" : "more";
}

function projectOnThread(): Promise<void> {
  const state = projection();
  state.running ??= projectParts().finally(() => {
    state.running = undefined;
  });
  return state.running;
}

/** Until nothing waits, or the thread cannot write either. */
async function projectParts(): Promise<void> {
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

/** Every request tries again; the log says it once. */
function reportOnce(error: unknown): void {
  const message = String(error);
  if (projection().failure !== message) {
    console.error("Derived data could not be brought up to date:", error);
  }
  projection().failure = message;
}
