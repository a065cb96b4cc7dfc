import type { Selectable } from "kysely";
import { checkTerms } from "~/features/moderation/uploaders/terms.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { accountNow } from "~/features/permissions/may-change.server";
import { allows, ownVideosOf } from "~/features/permissions/permissions";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { discardReceived, type ReceivedFile } from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import type { NewVideoTexts } from "~/shared/video-fields";
import { database } from "~db/client.server";
import { processState } from "~db/runtime.server";
import type { DownloadsTable } from "~db/schema/operations";
import { findDuplicate } from "../file-checks.server";
import { publishUpload } from "../publish.server";
import { checkTexts, typedTexts, uploadRules } from "../receive-upload.server";
import { NO_TEXTS, type UploadField, type UploadTexts } from "../upload-fields";
import { download, INTERNET, type Network, parseAddress } from "./download.server";

type DownloadRow = Selectable<DownloadsTable>;

const SHOWN = 50;
const PROGRESS_EVERY_MS = 1_000;
/** Rows are deleted after this time because they contain a user and a URL. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** The download running in this process. Only one runs at a time, since the disk is the bottleneck. */
interface Running {
  id: number;
  controller: AbortController;
  bytes: number;
  total: number | undefined;
}

interface Downloads {
  running?: Running | undefined;
  /** Resolves when the queue is empty. */
  all?: Promise<void> | undefined;
  isStopped: boolean;
}

const downloads = processState<Downloads>(
  "downloads",
  () => ({ isStopped: false }),
  (state) => {
    state.isStopped = true;
    state.running?.controller.abort();
    return state.all;
  },
);

interface NewDownload {
  userId: string;
  address: string;
  texts: NewVideoTexts;
  status: "published" | "review";
  /** The version of the uploaders' terms accepted for the download. */
  terms?: number;
}

/**
 * Queues videos for download.
 *
 * @throws {UploadError} 422 for an invalid URL.
 */
export async function addDownloads(entries: NewDownload[], network?: Network): Promise<void> {
  const rows = entries.map(({ userId, address, texts, status, terms }) => ({
    user_id: userId,
    address: parseAddress(address).href,
    texts: JSON.stringify(texts),
    status,
    terms: terms ?? null,
  }));
  if (rows.length > 0) await database().insertInto("downloads").values(rows).execute();
  jobsChanged("progress");
  runDownloads(network);
}

/** Returns the latest downloads, newest first. */
export async function listDownloads(): Promise<Download[]> {
  const rows = await database()
    .selectFrom("downloads")
    .selectAll()
    .orderBy("id", "desc")
    .limit(SHOWN)
    .execute();
  const { running } = downloads();
  return rows.map((row) => ({
    id: row.id,
    address: row.address,
    title: (JSON.parse(row.texts) as NewVideoTexts).title,
    state: row.state,
    ...(row.reason && { reason: row.reason }),
    ...(row.video_id && { videoId: row.video_id }),
    ...(running?.id === row.id && { progress: { bytes: running.bytes, total: running.total } }),
  }));
}

/** Cancels a queued or running download. Returns false if it has already ended. */
export async function cancelDownload(id: number): Promise<boolean> {
  const { numUpdatedRows } = await database()
    .updateTable("downloads")
    .set({ state: "canceled", finished_at: new Date().toISOString() })
    .where("id", "=", id)
    .where("state", "in", ["waiting", "running"])
    .executeTakeFirst();
  const { running } = downloads();
  if (running?.id === id) running.controller.abort();
  jobsChanged("progress");
  return numUpdatedRows === 1n;
}

/** Deletes the rows for downloads that finished, failed or were canceled more than 30 days ago. */
export async function deleteOldDownloads(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("downloads")
    .where("finished_at", "<=", new Date(now - KEPT_MS).toISOString())
    .execute();
}

/** Requeues the downloads that were interrupted when the site stopped. Called once, at startup. */
export async function resumeDownloads(): Promise<void> {
  await database()
    .updateTable("downloads")
    .set({ state: "waiting" })
    .where("state", "=", "running")
    .execute();
  runDownloads();
}

/**
 * Runs the queued downloads one after another.
 *
 * @returns a promise that resolves when the queue is empty.
 */
export function runDownloads(network: Network = INTERNET): Promise<void> {
  const state = downloads();
  state.all ??= runAll(state, network).finally(() => {
    state.all = undefined;
  });
  state.all.catch(console.error);
  return state.all;
}

async function runAll(state: Downloads, network: Network): Promise<void> {
  while (!state.isStopped) {
    const row = await database()
      .selectFrom("downloads")
      .selectAll()
      .where("state", "=", "waiting")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (!row) return;
    await run(state, row, network);
  }
}

async function run(state: Downloads, row: DownloadRow, network: Network): Promise<void> {
  const running: Running = {
    id: row.id,
    controller: new AbortController(),
    bytes: 0,
    total: undefined,
  };
  state.running = running;
  try {
    if (!(await move(row.id, "waiting", { state: "running" }))) return;
    const videoId = await fetchAndPublish(row, running, network);
    await move(row.id, "running", { state: "done", video_id: videoId });
  } catch (error) {
    // The download starts over at the next startup.
    if (state.isStopped) return;
    if (!(error instanceof UploadError)) console.error(error);
    const reason = error instanceof UploadError ? error.message : "Failed to upload video.";
    await move(row.id, "running", { state: "failed", reason });
  } finally {
    state.running = undefined;
    jobsChanged("progress");
  }
}

/** Changes a row only if it is still in this state, since the download may have been canceled. */
async function move(
  id: number,
  from: "waiting" | "running",
  to: Partial<Pick<DownloadRow, "state" | "reason" | "video_id">>,
): Promise<boolean> {
  const { numUpdatedRows } = await database()
    .updateTable("downloads")
    .set({ ...to, finished_at: to.state === "running" ? null : new Date().toISOString() })
    .where("id", "=", id)
    .where("state", "=", from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function fetchAndPublish(
  row: DownloadRow,
  running: Running,
  network: Network,
): Promise<string> {
  const { signal } = running.controller;
  const account = accountNow(row.user_id, row.created_at);
  if (!account || !allows(account, "/admin/import")) throw new UploadError(403, NOT_ALLOWED);
  let video: ReceivedFile | undefined;
  let reportedAt = 0;
  try {
    video = await download(parseAddress(row.address), {
      rule: uploadRules().video,
      signal,
      network,
      onProgress(bytes, total) {
        running.bytes = bytes;
        running.total = total;
        if (Date.now() - reportedAt < PROGRESS_EVERY_MS) return;
        reportedAt = Date.now();
        jobsChanged("progress");
      },
    });
    const duplicate = await findDuplicate(
      video.sha256,
      ownVideosOf(account, "/admin/import")?.userId,
    );
    if (duplicate) {
      const message = `Duplicate of “${duplicate.title}”.`;
      throw new UploadError(409, message);
    }
    if (signal.aborted) throw new UploadError(422, "The import was canceled.");
    const published = await publishUpload({
      userId: row.user_id,
      status: row.status,
      schedule: { publishAt: null, unpublishAt: null },
      texts: JSON.parse(row.texts) as NewVideoTexts,
      // The version is the one that was accepted with the request, since the terms may have changed in the meantime.
      acceptance:
        row.terms === null ? undefined : { version: row.terms, acceptedAt: row.created_at },
      video,
    });
    return published.id;
  } finally {
    await discardReceived(video);
  }
}

/** The reason why a download was rejected, plus all data needed to show the form again. */
export interface AddressFailure {
  status: number;
  message: string;
  address: string;
  texts: UploadTexts;
  fields: Partial<Record<UploadField | "address", string>>;
}

/**
 * Processes the form for a single URL: the `address` field plus an upload's text fields.
 *
 * @returns the reason for the rejection, or undefined if the video has been queued.
 */
export async function takeAddress(
  form: FormData,
  userId: string,
): Promise<AddressFailure | undefined> {
  const sent = new Map([...form].map(([name, value]) => [name, String(value)]));
  const address = sent.get("address") ?? "";
  const texts = { ...NO_TEXTS, ...typedTexts(sent), duration: "" };
  const refuse = (message: string, fields: AddressFailure["fields"]): AddressFailure => ({
    ...{ status: 422, message, address, texts, fields },
  });
  const checked = checkTexts(texts);
  const { refusal, acceptance } = checkTerms(sent.get("terms"));
  const terms = refusal && { terms: refusal };
  if (!checked.ok) return refuse(checked.message, { ...checked.fields, ...terms });
  if (terms) return refuse(terms.terms, terms);
  const status = form.get("intent") === "address-publish" ? "published" : "review";
  try {
    await addDownloads([
      { userId, address, texts: checked.texts, status, terms: acceptance?.version },
    ]);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    return refuse(error.message, { address: error.message });
  }
  return undefined;
}

/** A download as shown on the page. */
export interface Download {
  id: number;
  address: string;
  title: string;
  state: "waiting" | "running" | "done" | "failed" | "canceled";
  /** Why it failed. */
  reason?: string;
  videoId?: string;
  /** The progress of the running download. */
  progress?: { bytes: number; total?: number };
}
