import { termsRefusal } from "~/features/moderation/uploaders/terms.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { settings } from "~/platform/settings.server";
import { formatBytes } from "~/shared/format-bytes";
import { processState } from "~db/runtime.server";
import type { VideoStatus } from "~db/schema";
import { planFolder, requireApartFromUploads } from "./folder.server";
import { type ImportSummary, importVideos } from "./import.server";
import {
  ImportError,
  type ImportFailure,
  type ImportPlan,
  NO_CATEGORY,
  readTypedTable,
} from "./table.server";

const PROGRESS_EVERY_MS = 1_000;
const FAILURES_SHOWN = 20;

/** What the page shows of the folder that the operator has set. */
export interface ServerFolder {
  /** Files done, of all, while an import is running. */
  running?: { files: number; total: number; percent: number };
  /** What the last one did, until the next or a restart. */
  last?: FolderReport;
}

interface FolderReport {
  message: string;
  failures: ImportFailure[];
  /** Failures that are not among those. */
  more: number;
}

interface Running {
  controller: AbortController;
  files: number;
  total: number;
  done: Promise<void>;
}

interface FolderImport {
  running?: Running | undefined;
  report?: FolderReport | undefined;
}

const state = processState<FolderImport>(
  "folder import",
  () => ({}),
  ({ running }) => {
    running?.controller.abort();
    return running?.done;
  },
);

/** The import folder; undefined where none is set. */
export function serverFolder(): ServerFolder | undefined {
  if (!settings().importDir) return undefined;
  const { running, report: last } = state();
  if (!running) return last ? { last } : {};
  const { files, total } = running;
  return { running: { files, total, percent: total > 0 ? Math.floor((100 * files) / total) : 0 } };
}

export interface FolderRequest {
  userId: string;
  /** Of what says none. */
  category?: string;
  status: VideoStatus;
  mode: "copy" | "move";
  /** CSV or JSON with a column `file`; else the one in the folder. */
  table?: string;
  /** The version of the uploaders' terms that is accepted, as the form names it. */
  terms?: string;
}

/**
 * Begins the import of the folder that the operator has set; it goes on without the page. What was
 * imported before is left out, so it may be repeated.
 *
 * @throws {ImportError} when nothing can be read, or there is nothing to import.
 */
export async function beginFolderImport(wanted: FolderRequest): Promise<void> {
  if (!settings().importDir) throw new ImportError("The server has no import folder.");
  const refusal = termsRefusal(wanted.terms);
  if (refusal) throw new ImportError(refusal);
  if (state().running) throw new ImportError("The folder is being imported already.");
  const running: Running = {
    controller: new AbortController(),
    files: 0,
    total: 0,
    done: Promise.resolve(),
  };
  // Before the first wait: a form that is sent twice must not begin two.
  state().running = running;
  try {
    const plan = await planOf(wanted);
    if (plan.entries.length === 0) throw new ImportError(nothingFound(plan));
    running.total = plan.entries.length;
    state().report = undefined;
    running.done = run(plan, wanted, running);
  } catch (error) {
    state().running = undefined;
    throw error;
  }
}

/** Ends the import after the files at hand. False when none is running. */
export function cancelFolderImport(): boolean {
  state().running?.controller.abort();
  return state().running !== undefined;
}

/** When the import that is running has ended. */
export async function folderImportEnds(): Promise<void> {
  await state().running?.done;
}

async function planOf({ category, status, table }: FolderRequest): Promise<ImportPlan> {
  const folder = settings().importDir!;
  requireApartFromUploads(folder);
  const metadata = table?.trim() ? await readTypedTable(table) : undefined;
  return planFolder(folder, { status, category, metadata });
}

function nothingFound({ failures }: ImportPlan): string {
  if (failures.some(({ reason }) => reason === NO_CATEGORY))
    return "Nothing says the category of the videos. Choose one.";
  const [first] = failures;
  return first ? `${first.name}: ${first.reason}` : "There is no video in the folder.";
}

async function run(plan: ImportPlan, wanted: FolderRequest, running: Running): Promise<void> {
  let toldAt = 0;
  try {
    const summary = await importVideos(plan, {
      userId: wanted.userId,
      mode: wanted.mode,
      terms: wanted.terms,
      signal: running.controller.signal,
      onProgress(_bytes, files) {
        running.files += files;
        if (Date.now() - toldAt < PROGRESS_EVERY_MS) return;
        toldAt = Date.now();
        jobsChanged("progress");
      },
    });
    state().report = reportOf(summary);
  } catch (error) {
    console.error(error);
    const message =
      error instanceof ImportError
        ? error.message
        : "The import ended before its time. The log says why; it can be begun again.";
    state().report = { message, failures: [], more: 0 };
  } finally {
    state().running = undefined;
    jobsChanged("progress");
  }
}

function reportOf(summary: ImportSummary): FolderReport {
  const all = [
    ...summary.failures,
    ...summary.notPublic.map(({ name, reason }) => ({
      name,
      reason: `${reason} It is not public.`,
    })),
    ...summary.duplicates.map(({ name, of }) => ({ name, reason: `the same file as “${of}”.` })),
  ];
  const figures = [
    `${summary.imported} imported (${formatBytes(summary.importedBytes)})`,
    `${summary.alreadyThere} already there`,
    `${summary.duplicates.length} duplicates`,
    `${summary.failures.length} failed`,
  ].join(", ");
  const ended = summary.interrupted ? " It was cancelled, and can be gone on with." : "";
  return {
    message: `${figures}.${ended}`,
    failures: all.slice(0, FAILURES_SHOWN),
    more: Math.max(0, all.length - FAILURES_SHOWN),
  };
}
