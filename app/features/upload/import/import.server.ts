import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { checkTerms } from "~/features/moderation/uploaders/terms.server";
import { compareFile } from "~/features/processing/comparison/block-list-matches.server";
import {
  type ArrivedFile,
  BLOCKED_FILE,
  hasBlockedMd5s,
  isOnBlockList,
} from "~/features/processing/comparison/blocked-videos.server";
import { HEAD_BYTES } from "~/media/intake/received-file.server";
import { videoExtension } from "~/media/intake/sniff.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { InterruptedError } from "~/media/probe/ffmpeg.server";
import { RefusedFileError } from "~/media/probe/probe.server";
import { createActivityRecorder } from "~/platform/activity/activity.server";
import { incompleteMessage } from "~/shared/cut-off";
import { formatQuantity } from "~/shared/format";
import { mapConcurrently } from "~/shared/map-concurrently";
import { database } from "~db/client.server";
import { hashFile, type ImportMode, inspectFile } from "./files.server";
import { type Candidate, importBatch } from "./import-batch.server";
import { findImported, fingerprint, recoverImports } from "./journal.server";
import { type ImportEntry, ImportError, type ImportFailure, type ImportPlan } from "./table.server";

export interface ImportOptions {
  /** The user who will own the videos. */
  userId: string;
  mode: ImportMode;
  /** The accepted version of the uploaders' terms, as provided by the caller. */
  terms?: string;
  /** Stops the import after the current batch. */
  signal?: AbortSignal;
  /** The number of bytes read plus the number of bytes moved, so each file counts twice. */
  onProgress?(bytes: number, files: number): void;
}

export interface ImportSummary {
  imported: number;
  importedBytes: number;
  /** Entries that have already been imported, or whose id already exists in the catalogue. */
  alreadyImported: number;
  duplicates: { name: string; of: string }[];
  /** Imported videos that aren't public although they should be, with the reasons. */
  notPublic: { name: string; reason: string }[];
  failures: ImportFailure[];
  /** The time spent computing SHA-256 digests. */
  hashingMs: number;
  /** The time spent in ffprobe, which runs for several files concurrently. */
  probingMs: number;
  interrupted: boolean;
}

const BATCH_FILES = 1_000;
const BATCH_BYTES = 1024 ** 3;

/**
 * Imports the planned files into the catalogue in batches: examines them, moves them and flushes them to disk, and
 * inserts the rows last. The import can be stopped or killed at any time, and resumes when it is started again.
 *
 * @throws {ImportError} if the uploaders' terms must be accepted but haven't been.
 */
export async function importVideos(
  plan: ImportPlan,
  options: ImportOptions,
): Promise<ImportSummary> {
  const summary: ImportSummary = {
    imported: 0,
    importedBytes: 0,
    alreadyImported: 0,
    duplicates: [],
    notPublic: [],
    failures: [...plan.failures],
    hashingMs: 0,
    probingMs: 0,
    interrupted: false,
  };
  const { refusal, acceptance } = checkTerms(options.terms);
  if (refusal) throw new ImportError(refusal);
  const since = new Date().toISOString();
  await recoverImports();
  const seen = new Map<string, string>();
  const record = createActivityRecorder();
  let videos = 0;
  const countImported = (more: number) => {
    videos += more;
    const detail = formatQuantity(videos, "video");
    record({ userId: options.userId, action: "import", detail });
  };
  for (const batch of await batches(plan.entries, summary, options)) {
    if (options.signal?.aborted) break;
    const unknown = await leaveOutKnown(batch, summary, options);
    const candidates = await inspectFiles(unknown, seen, summary, options);
    const taken = await importBatch(
      candidates,
      { ...options, since, countImported, acceptance },
      (name, error) => summary.failures.push({ name, reason: reasonOf(error) }),
    );
    summary.imported += taken.length;
    for (const { bytes, entry, inspected, refusal } of taken) {
      summary.importedBytes += bytes;
      if (entry.status !== "published") continue;
      const reason = refusal ?? (inspected?.cutOff && incompleteMessage(inspected.cutOff));
      if (reason) summary.notPublic.push({ name: entry.name, reason });
    }
  }
  summary.interrupted = options.signal?.aborted ?? false;
  return summary;
}

interface Measured {
  entry: ImportEntry;
  bytes: number;
  modifiedMs: number;
}

/** Yields entries with their file sizes, in batches that are small enough to be repeated after an interruption. */
async function batches(
  entries: ImportEntry[],
  summary: ImportSummary,
  { onProgress }: ImportOptions,
): Promise<Measured[][]> {
  const list: Measured[][] = [];
  let bytes = 0;
  const stats = await mapConcurrently(entries, async ({ file }) =>
    file ? fs.stat(file).catch(() => undefined) : undefined,
  );
  for (const [index, entry] of entries.entries()) {
    const stat = stats[index];
    if (entry.file && !stat?.isFile()) {
      summary.failures.push({ name: entry.name, reason: "its file no longer exists." });
      onProgress?.(0, 1);
      continue;
    }
    const size = stat?.size ?? 0;
    const isFull = bytes + size > BATCH_BYTES || list.at(-1)?.length === BATCH_FILES;
    if (list.length === 0 || isFull) {
      list.push([]);
      bytes = 0;
    }
    bytes += size;
    list.at(-1)?.push({ entry, bytes: size, modifiedMs: stat?.mtimeMs ?? 0 });
  }
  return list;
}

/** Filters out entries that have already been imported, or whose id already exists. */
async function leaveOutKnown(
  batch: Measured[],
  summary: ImportSummary,
  { onProgress }: ImportOptions,
): Promise<Measured[]> {
  const imported = await findImported(batch.flatMap(({ entry }) => entry.file ?? []));
  const ids = await knownIds(batch.flatMap(({ entry }) => entry.id ?? []));
  return batch.filter(({ entry, bytes, modifiedMs }) => {
    const known =
      ids.has(entry.id ?? "") || imported.get(entry.file ?? "") === fingerprint(bytes, modifiedMs);
    if (!known) return true;
    summary.alreadyImported++;
    onProgress?.(2 * bytes, 1);
    return false;
  });
}

interface Hashed extends Measured, ArrivedFile {
  extension?: string;
}

/** Hashes and examines the files; records and skips duplicates and files that aren't videos. */
async function inspectFiles(
  batch: Measured[],
  seen: Map<string, string>,
  summary: ImportSummary,
  options: ImportOptions,
): Promise<Candidate[]> {
  const { onProgress, signal } = options;
  const hashed: Hashed[] = [];
  for (const measured of batch) {
    if (signal?.aborted) break;
    try {
      hashed.push(await hashEntry(measured, summary, options));
    } catch (error) {
      if (signal?.aborted) break;
      summary.failures.push({ name: measured.entry.name, reason: reasonOf(error) });
      onProgress?.(measured.bytes, 1);
    }
  }
  const known = await knownDigests(hashed.flatMap(({ sha256 }) => sha256 ?? []));
  const from = performance.now();
  const inspected = await mapConcurrently(hashed, (each) =>
    tryToInspect(each, known.has(each.sha256 ?? "")),
  );
  summary.probingMs += performance.now() - from;
  const candidates: Candidate[] = [];
  for (const [index, each] of hashed.entries()) {
    const { entry, bytes, sha256 } = each;
    const { found, comparison, error } = inspected[index]!;
    const twin = sha256 ? (known.get(sha256) ?? seen.get(sha256)) : undefined;
    if (error === undefined && !(twin !== undefined && entry.file)) {
      const videoId = entry.id ?? randomUUID().replaceAll("-", "");
      if (sha256) seen.set(sha256, entry.title);
      candidates.push({ ...each, inspected: found, comparison, videoId });
      continue;
    }
    if (error !== undefined) summary.failures.push({ name: entry.name, reason: reasonOf(error) });
    else summary.duplicates.push({ name: entry.name, of: twin! });
    onProgress?.(bytes, 1);
  }
  return candidates;
}

/** Hashes a file, and at the same time detects its type from the first bytes. */
async function hashEntry(
  measured: Measured,
  summary: ImportSummary,
  { onProgress, signal }: ImportOptions,
): Promise<Hashed> {
  const { entry } = measured;
  if (!entry.file) return { ...measured, path: "" };
  const from = performance.now();
  const read = (length: number) => onProgress?.(length, 0);
  const { head, ...digests } = await hashFile(entry.file, read, {
    signal,
    withMd5: hasBlockedMd5s(),
  });
  summary.hashingMs += performance.now() - from;
  const extension = await videoExtension(head.subarray(0, HEAD_BYTES));
  return { ...measured, path: entry.file, ...digests, extension };
}

/** Skips duplicates of catalogue videos, regardless of the entry's details. */
async function tryToInspect(file: Hashed, isDuplicate: boolean) {
  const { path, extension } = file;
  try {
    if (await isOnBlockList(file)) return { error: new ImportError(BLOCKED_FILE) };
    if (isDuplicate || !extension) return {};
    return { found: await inspectFile(path, extension), comparison: await compareFile(path) };
  } catch (error) {
    return { error };
  }
}

/** Returns the error message for one file. Rethrows internal errors, which end the import. */
function reasonOf(error: unknown): string {
  if (error instanceof ImportError || error instanceof UploadError) return error.message;
  if (error instanceof RefusedFileError || error instanceof InterruptedError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (!code) throw error;
  if (code === "ENOSPC" || code === "EDQUOT") return "there isn't enough disk space.";
  return message;
}

/** Returns the given ids that exist in the catalogue. */
export async function knownIds(ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await database().selectFrom("videos").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns the digests that belong to the uploaded files of videos in the catalogue, together with the videos' titles.
 */
async function knownDigests(digests: string[]): Promise<Map<string, string>> {
  if (digests.length === 0) return new Map();
  const rows = await database()
    .selectFrom("video_digests")
    .innerJoin("videos", "videos.id", "video_digests.video_id")
    .select(["video_digests.sha256", "videos.title"])
    .where("video_digests.sha256", "in", digests)
    .execute();
  return new Map(rows.map(({ sha256, title }) => [sha256, title]));
}
