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

/** The state of the server's import folder, as shown on the page. */
export interface ServerFolder {
  /** The number of finished files and the total number of files, while an import is running. */
  running?: { files: number; total: number; percent: number };
  /** The result of the last import, kept until the next import or a restart. */
  last?: FolderReport;
}

interface FolderReport {
  message: string;
  failures: ImportFailure[];
  /** The number of failures that aren't listed. */
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

/** Returns the state of the import folder, or undefined if no folder is configured. */
export function serverFolder(): ServerFolder | undefined {
  if (!settings().importDir) return undefined;
  const { running, report: last } = state();
  if (!running) return last ? { last } : {};
  const { files, total } = running;
  return { running: { files, total, percent: total > 0 ? Math.floor((100 * files) / total) : 0 } };
}

export interface FolderRequest {
  userId: string;
  /** The default category. */
  category?: string;
  status: VideoStatus;
  mode: "copy" | "move";
  /** A CSV or JSON table with a `file` column; by default, the one in the folder. */
  table?: string;
  /** The version of the uploaders' terms shown in the form. */
  terms?: string;
}

/**
 * Starts importing the server's folder; the import continues even if the page is closed. Files that have already been
 * imported are skipped, so it is safe to start the import again.
 *
 * @throws {ImportError} if nothing can be read or there is nothing to import.
 */
export async function beginFolderImport(wanted: FolderRequest): Promise<void> {
  if (!settings().importDir) throw new ImportError("No import folder is configured on the server.");
  const refusal = termsRefusal(wanted.terms);
  if (refusal) throw new ImportError(refusal);
  if (state().running) throw new ImportError("The folder is already being imported.");
  const running: Running = {
    controller: new AbortController(),
    files: 0,
    total: 0,
    done: Promise.resolve(),
  };
  // Set before the first `await`, so that submitting the form twice doesn't start two imports.
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

/** Stops the import after the current files. Returns false if no import is running. */
export function cancelFolderImport(): boolean {
  state().running?.controller.abort();
  return state().running !== undefined;
}

/** Resolves when the running import has ended. */
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
    return "Choose a default category: some files don’t have one.";
  const [first] = failures;
  return first ? `${first.name}: ${first.reason}` : "The folder contains no videos.";
}

async function run(plan: ImportPlan, wanted: FolderRequest, running: Running): Promise<void> {
  let reportedAt = 0;
  try {
    const summary = await importVideos(plan, {
      userId: wanted.userId,
      mode: wanted.mode,
      terms: wanted.terms,
      signal: running.controller.signal,
      onProgress(_bytes, files) {
        running.files += files;
        if (Date.now() - reportedAt < PROGRESS_EVERY_MS) return;
        reportedAt = Date.now();
        jobsChanged("progress");
      },
    });
    state().report = reportOf(summary);
  } catch (error) {
    console.error(error);
    const message =
      error instanceof ImportError
        ? error.message
        : "The import failed. See the log for the reason, then start it again.";
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
      reason: `${reason} The video is not public.`,
    })),
    ...summary.duplicates.map(({ name, of }) => ({ name, reason: `duplicate of “${of}”.` })),
  ];
  const figures = [
    `${summary.imported} imported (${formatBytes(summary.importedBytes)})`,
    `${summary.alreadyImported} already imported`,
    `${summary.duplicates.length} duplicates`,
    `${summary.failures.length} failed`,
  ].join(", ");
  const ended = summary.interrupted ? " Canceled. Start the import again to import the rest." : "";
  return {
    message: `${figures}.${ended}`,
    failures: all.slice(0, FAILURES_SHOWN),
    more: Math.max(0, all.length - FAILURES_SHOWN),
  };
}
