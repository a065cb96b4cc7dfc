/** One file on its way into the store of films, in parts, in the browser. */

/** A smaller one is one part, and goes through the site. */
export const LEAST_FOR_PARTS_BYTES = 32 * 1024 * 1024;
/** Of the first part: a store that takes nothing from this page, as one does that does not name its origin. */
const TRIES_UNTIL_OUT_OF_REACH = 2;

export interface PartsUpload {
  file: File;
  /** Of the upload at the site, which was begun over tus. */
  url: string;
  signal: AbortSignal;
  /** Before another try, in milliseconds. */
  delays: readonly number[];
}

export interface PartsEvents {
  onProgress(sentBytes: number): void;
  /** The connection was lost; it is tried again. */
  onInterrupted(): void;
}

/** What the site, or the store, has refused. 0: there was no answer. */
export class PartsError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

/**
 * Sends the parts that are not there yet, and resolves when the site has the file.
 *
 * @returns false when the store takes nothing from here: the site itself takes the file as well.
 * @throws {PartsError} and what `signal` is aborted with.
 */
export async function sendParts(
  upload: PartsUpload,
  { onProgress, onInterrupted }: PartsEvents,
): Promise<boolean> {
  const { file } = upload;
  const state = await asked<{ partBytes: number; sent: number[] }>(
    upload,
    { intent: "begin" },
    onInterrupted,
  );
  const { partBytes } = state;
  const sent = new Set(state.sent);
  const numbers = Array.from({ length: Math.ceil(file.size / partBytes) }, (_, index) => index + 1);
  const part = (number: number) => file.slice((number - 1) * partBytes, number * partBytes);
  let arrived = 0;
  for (const number of sent) arrived += part(number).size;
  onProgress(arrived);
  for (const number of numbers) {
    if (sent.has(number)) continue;
    const bytes = part(number);
    for (let tries = 0; ; tries++) {
      const fields = { intent: "address", number: String(number) };
      const { address } = await asked<{ address: string }>(upload, fields, onInterrupted);
      const status = await put(address, bytes, upload.signal, (now) => onProgress(arrived + now));
      if (status >= 200 && status < 300) break;
      if (sent.size === 0 && tries + 1 >= TRIES_UNTIL_OUT_OF_REACH && navigator.onLine)
        return false;
      onInterrupted();
      await again(upload, tries, new PartsError(status, "The connection was lost."));
    }
    sent.add(number);
    arrived += bytes.size;
  }
  await asked(upload, { intent: "receive" }, onInterrupted);
  return true;
}

/** Asks the site, until it answers. */
async function asked<Answer>(
  upload: PartsUpload,
  fields: Record<string, string>,
  onInterrupted: () => void,
): Promise<Answer> {
  const body = new URLSearchParams(fields);
  for (let tries = 0; ; tries++) {
    const request = fetch(`${upload.url}/parts`, { method: "POST", body, signal: upload.signal });
    const answer = await request.catch(() => undefined);
    upload.signal.throwIfAborted();
    if (answer?.ok) return (await answer.json()) as Answer;
    const error = new PartsError(answer?.status ?? 0, (await answer?.text())?.trim() ?? "");
    if (error.status > 0 && (error.status < 500 || error.status === 507)) throw error;
    onInterrupted();
    await again(upload, tries, error);
  }
}

/** Waits before another try, and for the network; the last error is thrown. */
async function again({ delays, signal }: PartsUpload, tries: number, error: PartsError) {
  if (!navigator.onLine) {
    await new Promise((resolve) => {
      window.addEventListener("online", resolve, { once: true, signal });
      signal.addEventListener("abort", resolve, { once: true });
    });
  } else {
    const delay = delays[tries];
    if (delay === undefined) throw error;
    await new Promise((resolve) => {
      setTimeout(resolve, delay);
      signal.addEventListener("abort", resolve, { once: true });
    });
  }
  signal.throwIfAborted();
}

/** By XMLHttpRequest: `fetch` does not say how far it is. The status, 0 when there was no answer. */
function put(
  address: string,
  bytes: Blob,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => {
      request.abort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onloadend = () => {
      signal.removeEventListener("abort", stop);
      resolve(request.status);
    };
    request.open("PUT", address);
    request.send(bytes);
  });
}
