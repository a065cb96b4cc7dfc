import type { DetailedError, PreviousUpload } from "tus-js-client";
import { MESSAGES } from "./upload-fields";

/** Sends a file to the server over tus, in the browser. */

const ENDPOINT = "/admin/uploads";
/** The delays before each retry after a lost connection. In total, they last about ten minutes. */
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 15_000, ...Array(18).fill(30_000)];

export interface Transfer {
  /** Stops the transfer and keeps the bytes already sent. */
  pause(): Promise<void>;
  /** Stops the transfer and deletes the bytes already sent. */
  cancel(): Promise<void>;
}

export interface TransferEvents {
  onProgress(sentBytes: number): void;
  /** Called when the connection is lost and the transfer will be retried. */
  onInterrupted(): void;
  /** @param upload the id of the upload, to be sent with the form. */
  onArrived(upload: string): void;
  /** @param status the response's status, or 0 if there was no response. */
  onFailed(message: string, status: number): void;
}

/** The library is loaded when the first file is sent, because no other page needs it. */
const tus = () => import("tus-js-client");

/**
 * Sends a file. If this browser has already sent part of the same file, continues from there.
 *
 * @param terms the accepted version of the uploaders' terms.
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
      // There is no point in retrying while the browser is offline. It fires `online` when the network is back.
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

/** 0 means that there was no response. 409 and 423 mean that an earlier connection hasn't ended yet. */
function isWorthAnotherTry(status: number): boolean {
  return status === 0 || status === 409 || status === 423 || (status >= 500 && status !== 507);
}

/** Returns the response's status, or 0 if there was no response. */
function statusOf(error: Error | DetailedError): number {
  return "originalResponse" in error ? (error.originalResponse?.getStatus() ?? 0) : 0;
}

function messageOf(error: Error | DetailedError): string {
  const status = statusOf(error);
  if (status === 0) return "The connection was lost.";
  const body = "originalResponse" in error ? (error.originalResponse?.getBody().trim() ?? "") : "";
  return status < 500 || status === 507 ? body || MESSAGES.failed : MESSAGES.failed;
}

/** Returns the uploads that this browser started but didn't finish. */
export async function unfinishedUploads(): Promise<PreviousUpload[]> {
  return (await tus()).defaultOptions.urlStorage.findAllUploads();
}

/** Deletes the stored upload URL for a file once the file has been published or canceled. */
export async function forgetTransfer(file: File): Promise<void> {
  const { Upload, defaultOptions } = await tus();
  const upload = new Upload(file, { endpoint: ENDPOINT });
  for (const { urlStorageKey } of await upload.findPreviousUploads()) {
    await defaultOptions.urlStorage.removeUpload(urlStorageKey);
  }
}

/** Deletes a complete upload that won't be published. */
export async function discardUpload(upload: string): Promise<void> {
  await (await tus()).Upload.terminate(`${ENDPOINT}/${upload}`).catch(() => {});
}
