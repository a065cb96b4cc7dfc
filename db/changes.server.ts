import { setImmediate } from "node:timers/promises";
import { projector, sqliteHandle, tryWriteTransaction } from "./client.server";

/** How often the catalogue and the view counts have changed since the file was made. */
export interface CatalogueVersion {
  catalogue: number;
  views: number;
}

/** So long the thread that serves requests works on derived data before others have their turn. */
const SLICE_MS = 6;
/** So many changes are waited for. More come of an import: until they have been projected, lists are
 * right, and totals and searches are those of what has been projected. */
const MOST_WAITED_FOR = 20_000;
/** Versions of what is not committed yet stand below those of changes that wait. */
const BELOW_ALL_CHANGES = -(2 ** 45);

// On globalThis, because the development server evaluates this module anew after an edit.
const holder = globalThis as {
  afterdarkProjecting?: Promise<void>;
  afterdarkUncommitted?: number;
  /** The message of the last failure, until a success. */
  afterdarkProjectionFailure?: string;
};

/**
 * The version of the catalogue at this moment, whoever wrote. It also tells that something has
 * changed while changes wait that could not be projected at once: it is below 0 then. No version is
 * used twice.
 */
export function catalogueVersion(): CatalogueVersion {
  const state = projectSome();
  const { last } = projector().waiting();
  if (last === null) return projector().version();
  if (sqliteHandle().inTransaction) {
    holder.afterdarkUncommitted = (holder.afterdarkUncommitted ?? BELOW_ALL_CHANGES) - 1;
    return { catalogue: holder.afterdarkUncommitted, views: 0 };
  }
  if (state === "more") theRest().catch(console.error);
  return { catalogue: -last, views: 0 };
}

/**
 * Brings all derived data up to the rows of `videos`. Whoever reads derived data awaits this first;
 * when nothing has changed, that takes some microseconds.
 */
export async function projected(): Promise<void> {
  if (projectSome() !== "more") return;
  const rest = theRest();
  if ((projector().waiting().count ?? 0) <= MOST_WAITED_FOR) await rest;
}

function theRest(): Promise<void> {
  holder.afterdarkProjecting ??= projectTheRest();
  return holder.afterdarkProjecting;
}

/** In slices, between which others have their turn. */
async function projectTheRest(): Promise<void> {
  const sqlite = sqliteHandle();
  try {
    do await setImmediate();
    while (sqlite.open && projectSome() === "more");
  } finally {
    holder.afterdarkProjecting = undefined;
  }
}

/**
 * "blocked" when another program holds the file, when what waits is part of a transaction under way,
 * and when projecting fails, as on a full disk: lists need nothing that is derived, so pages go on.
 */
function projectSome(): "done" | "more" | "blocked" {
  const { waiting, run } = projector();
  if (waiting().last === null) return "done";
  try {
    if (!tryWriteTransaction(() => run(SLICE_MS))) return "blocked";
  } catch (error) {
    reportOnce(error);
    return "blocked";
  }
  holder.afterdarkProjectionFailure = undefined;
  return waiting().last === null ? "done" : "more";
}

/** Every request tries again; the log says it once. */
function reportOnce(error: unknown): void {
  const message = String(error);
  if (holder.afterdarkProjectionFailure !== message) {
    console.error("Derived data could not be brought up to date:", error);
  }
  holder.afterdarkProjectionFailure = message;
}
