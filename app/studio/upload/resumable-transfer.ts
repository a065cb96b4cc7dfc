import type { DetailedError, PreviousUpload, Upload } from "tus-js-client";
import { LEAST_FOR_PARTS_BYTES, PartsError, type PartsEvents, sendParts } from "./parts-transfer";
import { SENTENCES } from "./upload-fields";

/** One file on its way to the server over tus, in the browser; or, begun so, into the store of films. */

const ENDPOINT = "/admin/uploads";
/** A lost connection is retried for about ten minutes. */
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 15_000, ...Array(18).fill(30_000)];

export interface Transfer {
  /** Stops; what was sent stays. */
  pause(): Promise<void>;
  /** Stops, and deletes what was sent. */
  cancel(): Promise<void>;
}

export interface TransferEvents extends PartsEvents {
  /** @param upload the id by which the form names it. */
  onArrived(upload: string): void;
  /** @param status 0 when there was no answer. */
  onFailed(sentence: string, status: number): void;
}

export interface TransferOptions {
  /** The version of the uploaders' terms that is accepted. */
  terms?: string | undefined;
  /** Whether the store of films takes parts of large files from browsers. */
  toStore?: boolean | undefined;
}

/** Loaded when the first file is sent: no other page needs it. */
const tus = () => import("tus-js-client");

/** Sends a file, going on where an earlier try of this browser with the same file stopped. */
export async function startTransfer(
  file: File,
  events: TransferEvents,
  { terms, toStore }: TransferOptions = {},
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
        return events.onFailed(sentenceOf(error), statusOf(error));
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
  const parts = new AbortController();
  if (toStore && file.size >= LEAST_FOR_PARTS_BYTES) {
    void sendToStore(upload, previous?.uploadUrl, file, events, parts.signal);
  } else {
    upload.start();
  }
  return {
    pause() {
      stay();
      parts.abort();
      return upload.abort();
    },
    async cancel() {
      stay();
      parts.abort();
      await upload.abort(true).catch(() => {});
    },
  };
}

/** Begins or goes on with an upload whose parts the store takes; what it does not take the site does. */
async function sendToStore(
  upload: Upload,
  known: string | null | undefined,
  file: File,
  events: TransferEvents,
  signal: AbortSignal,
): Promise<void> {
  let url = known ?? undefined;
  try {
    for (;;) {
      url ??= await begin(upload, file, signal);
      if (!url) return upload.start();
      // What it does by itself from now on concerns this upload.
      upload.url = url;
      try {
        const isThere = await sendParts({ file, url, signal, delays: RETRY_DELAYS_MS }, events);
        if (isThere) return events.onArrived(url.split("/").at(-1) ?? "");
        return upload.start();
      } catch (error) {
        // Older than a day: from its beginning.
        if (!(error instanceof PartsError && error.status === 404 && url === known)) throw error;
        await forgetTransfer(file);
        url = undefined;
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    const { status, message } = error instanceof PartsError ? error : new PartsError(0, "");
    events.onFailed(sentenceFor(status, message), status);
  }
}

/** Begins an upload over tus without sending anything yet. Its address; undefined without an answer. */
async function begin(upload: Upload, file: File, signal: AbortSignal): Promise<string | undefined> {
  const { defaultOptions } = await tus();
  const { metadata = {} } = upload.options;
  const encoded = Object.entries(metadata).map(
    ([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`,
  );
  const headers = {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": String(file.size),
    "Upload-Metadata": encoded.join(","),
  };
  const request = fetch(ENDPOINT, { method: "POST", headers, signal });
  const answer = await request.catch(() => undefined);
  signal.throwIfAborted();
  if (!answer) return undefined;
  const location = answer.headers.get("Location");
  if (!answer.ok || !location) throw new PartsError(answer.status, (await answer.text()).trim());
  const uploadUrl = new URL(location, window.location.href).pathname;
  const fingerprint = await defaultOptions.fingerprint(file, upload.options);
  await defaultOptions.urlStorage.addUpload(fingerprint, {
    ...{ size: file.size, metadata, creationTime: new Date().toString(), uploadUrl },
    ...{ urlStorageKey: "", parallelUploadUrls: null },
  });
  return uploadUrl;
}

/** 0: no answer at all. 409 and 423: an earlier connection has not ended yet. */
function isWorthAnotherTry(status: number): boolean {
  return status === 0 || status === 409 || status === 423 || (status >= 500 && status !== 507);
}

/** 0 when there was no answer. */
function statusOf(error: Error | DetailedError): number {
  return "originalResponse" in error ? (error.originalResponse?.getStatus() ?? 0) : 0;
}

function sentenceOf(error: Error | DetailedError): string {
  const body = "originalResponse" in error ? (error.originalResponse?.getBody().trim() ?? "") : "";
  return sentenceFor(statusOf(error), body);
}

function sentenceFor(status: number, body: string): string {
  if (status === 0) return "The connection was lost.";
  return status < 500 || status === 507 ? body || SENTENCES.failed : SENTENCES.failed;
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
