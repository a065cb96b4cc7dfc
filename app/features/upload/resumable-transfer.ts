import type { DetailedError, PreviousUpload } from "tus-js-client";
import { MESSAGES } from "./upload-fields";

/** One file on its way to the server over tus, in the browser. */

const ENDPOINT = "/admin/uploads";
/** A lost connection is retried for about ten minutes. */
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 15_000, ...Array(18).fill(30_000)];

export interface Transfer {
  /** Stops; what was sent stays. */
  pause(): Promise<void>;
  /** Stops, and deletes what was sent. */
  cancel(): Promise<void>;
}

export interface TransferEvents {
  onProgress(sentBytes: number): void;
  /** The connection was lost; it is tried again. */
  onInterrupted(): void;
  /** @param upload the id by which the form names it. */
  onArrived(upload: string): void;
  /** @param status 0 when there was no answer. */
  onFailed(message: string, status: number): void;
}

/** Loaded when the first file is sent: no other page needs it. */
const tus = () => import("tus-js-client");

/**
 * Sends a file, going on where an earlier try of this browser with the same file stopped.
 *
 * @param terms the version of the uploaders' terms that is accepted.
 */
export async function startTransfer(
  file: File,
  events: TransferEvents,
  terms: string | undefined,
): Promise<Transfer> {
  const { Upload } = await tus();
  const upload = new Upload(file, {
    endpoint: ENDPOINT,
    retryDelays: RETRY_DELAYS_MS,
    metadata: { filename: file.name, filetype: file.type, ...(terms && { terms }) },
    storeFingerprintForResuming: true,
    onProgress: (sent) => events.onProgress(sent),
    onShouldRetry(error) {
      const again = isWorthAnotherTry(statusOf(error));
      if (again) events.onInterrupted();
      return again;
    },
    onSuccess: () => events.onArrived(upload.url?.split("/").at(-1) ?? ""),
    onError(error) {
      if (statusOf(error) !== 0 || navigator.onLine) {
        return events.onFailed(messageOf(error), statusOf(error));
      }
      // Offline, a retry is pointless: the browser fires `online` when the network is back.
      events.onInterrupted();
      window.addEventListener("online", goOn, { once: true });
    },
  });
  const goOn = () => upload.start();
  const stay = () => window.removeEventListener("online", goOn);
  const [previous] = await upload.findPreviousUploads();
  if (previous) upload.resumeFromPreviousUpload(previous);
  upload.start();
  return {
    pause() {
      stay();
      return upload.abort();
    },
    async cancel() {
      stay();
      await upload.abort(true).catch(() => {});
    },
  };
}

/** 0: no answer at all. 409 and 423: an earlier connection has not ended yet. */
function isWorthAnotherTry(status: number): boolean {
  return status === 0 || status === 409 || status === 423 || (status >= 500 && status !== 507);
}

/** 0 when there was no answer. */
function statusOf(error: Error | DetailedError): number {
  return "originalResponse" in error ? (error.originalResponse?.getStatus() ?? 0) : 0;
}

function messageOf(error: Error | DetailedError): string {
  const status = statusOf(error);
  if (status === 0) return "The connection was lost.";
  const body = "originalResponse" in error ? (error.originalResponse?.getBody().trim() ?? "") : "";
  return status < 500 || status === 507 ? body || MESSAGES.failed : MESSAGES.failed;
}

/** Uploads that this browser began and has not seen the end of. */
export async function unfinishedUploads(): Promise<PreviousUpload[]> {
  return (await tus()).defaultOptions.urlStorage.findAllUploads();
}

/** Deletes the stored upload URL of a file, once it is published or cancelled. */
export async function forgetTransfer(file: File): Promise<void> {
  const { Upload, defaultOptions } = await tus();
  const upload = new Upload(file, { endpoint: ENDPOINT });
  for (const { urlStorageKey } of await upload.findPreviousUploads()) {
    await defaultOptions.urlStorage.removeUpload(urlStorageKey);
  }
}

/** Deletes a complete upload that is not to be published. */
export async function discardUpload(upload: string): Promise<void> {
  await (await tus()).Upload.terminate(`${ENDPOINT}/${upload}`).catch(() => {});
}
