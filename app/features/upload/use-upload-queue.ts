import { useCallback, useEffect, useReducer, useRef } from "react";
import { useToast } from "~/ui/feedback/toast";
import { success } from "~/ui/feedback/toast-message";
import type { UploadOutcome } from "./receive-upload.server";
import { discardUpload, forgetTransfer, startTransfer, type Transfer } from "./resumable-transfer";
import {
  type Accepted,
  MESSAGES,
  successMessage,
  type UploadFailure,
  type UploadIntent,
  type UploadTexts,
} from "./upload-fields";
import {
  nextToSend,
  onArrival,
  type QueueItem,
  reduceQueue,
  throughputMeter,
} from "./upload-queue";

/** The statuses for a file that is too large or not a video. */
const UNRECOVERABLE_STATUSES = [413, 415];
/** The status for an upload that was sent without accepting the current uploaders' terms. */
const TERMS_REFUSED = 422;
const INTERRUPTED = "Connection lost. Retrying…";

/**
 * The upload queue in the browser: sends one file at a time, and publishes each file once it has arrived.
 *
 * @param onRejected called for each form rejected by the server.
 * @param onOutdated called when the page must be reloaded because the session has ended or the terms have changed.
 */
export function useUploadQueue(
  onRejected: (failure: UploadFailure) => void,
  onOutdated: () => void,
) {
  const [items, dispatch] = useReducer(reduceQueue, []);
  const transfers = useRef(new Map<string, Promise<Transfer>>());
  const toast = useToast();

  const patch = useCallback(
    (key: string, change: Partial<QueueItem>) => dispatch({ type: "patch", key, patch: change }),
    [],
  );

  /** Shows the reason both as a toast and in the queue entry. */
  const fail = useCallback(
    (key: string, reason: string, change: Partial<QueueItem> = {}) => {
      patch(key, { ...change, state: "failed", message: reason });
      toast({ title: "Error", description: reason, kind: "error" });
    },
    [patch, toast],
  );

  const publish = useCallback(
    async (item: QueueItem, upload: string, accepted: Accepted = "nothing") => {
      if (!item.sent) return;
      patch(item.key, { state: "publishing", upload, sentBytes: item.file.size, message: "" });
      const { texts, intent, terms } = onArrival(item.sent, Date.now());
      const { thumbnail } = item;
      const onInterrupted = () => patch(item.key, { message: INTERRUPTED });
      const request = { upload, texts, intent, terms, thumbnail, accepted, onInterrupted };
      const outcome = await requestPublish(request);
      if (outcome.ok) {
        const { id: videoId, status, needsConsent, ...held } = outcome.video;
        const isHeld = held.looksBlocked || held.isUncompared || held.isScanned;
        const isPublished = status === "published" && !isHeld;
        patch(item.key, { state: "done", videoId, isPublished, needsConsent });
        toast(success("Success!", successMessage(outcome.video)));
        return forgetTransfer(item.file);
      }
      const { failure, status } = outcome;
      if (failure.duplicate) {
        return patch(item.key, { state: "duplicate", duplicate: failure.duplicate });
      }
      if (failure.cutOff) return patch(item.key, { state: "cut off", cutOff: failure.cutOff });
      const unrecoverable = failure.fields.video !== undefined;
      // A retry starts over if the upload no longer exists.
      const isGone = unrecoverable || status === 404;
      if (isGone) await forgetTransfer(item.file);
      const change = { unrecoverable, ...(isGone && { upload: undefined }) };
      fail(item.key, failure.message, change);
      if (status === 401) onOutdated();
      onRejected(failure);
    },
    [patch, fail, toast, onRejected, onOutdated],
  );

  const send = useCallback(
    (item: QueueItem) => {
      patch(item.key, { state: "sending", message: "", bytesPerSecond: 0 });
      const speed = throughputMeter(() => performance.now());
      const transfer = startTransfer(
        item.file,
        {
          onProgress: (sentBytes) =>
            patch(item.key, { sentBytes, bytesPerSecond: speed(sentBytes), message: "" }),
          onInterrupted: () => patch(item.key, { message: INTERRUPTED, bytesPerSecond: 0 }),
          onArrived: (upload) => void publish(item, upload),
          onFailed(message, status) {
            fail(item.key, message, { unrecoverable: UNRECOVERABLE_STATUSES.includes(status) });
            if (status === TERMS_REFUSED && item.sent) {
              const { texts } = item.sent;
              onRejected({ message, texts, fields: { terms: message } });
            }
            if (status === 401 || status === TERMS_REFUSED) onOutdated();
          },
        },
        item.sent?.terms,
      );
      transfers.current.set(item.key, transfer);
      transfer.catch(() => fail(item.key, MESSAGES.failed));
    },
    [patch, fail, publish, onRejected, onOutdated],
  );

  useEffect(() => {
    const next = nextToSend(items);
    if (!next) return;
    if (next.upload) void publish(next, next.upload);
    else send(next);
  }, [items, publish, send]);

  async function pause(item: QueueItem) {
    patch(item.key, { state: "paused", bytesPerSecond: 0, message: "" });
    await (await transfers.current.get(item.key))?.pause();
  }

  /** Removes an item and deletes the bytes already sent. */
  async function remove(item: QueueItem) {
    dispatch({ type: "remove", keys: [item.key] });
    if (item.state === "chosen" || item.state === "done") return;
    await (await transfers.current.get(item.key)?.catch(() => undefined))?.cancel();
    if (item.upload) await discardUpload(item.upload);
    await forgetTransfer(item.file);
  }

  const again = (item: QueueItem) => patch(item.key, { state: "waiting", message: "" });

  /** Publishes a file despite a warning. */
  function accept(item: QueueItem, accepted: Accepted) {
    if (item.upload) void publish(item, item.upload, accepted);
  }

  return { items, dispatch, patch, pause, again, remove, accept };
}

export type UploadQueue = ReturnType<typeof useUploadQueue>;

/** The delay before a retry after a lost connection. */
const AGAIN_AFTER_MS = 3_000;
/** The statuses returned by a proxy that can't reach the site (specification, section 8). */
const RETRYABLE_STATUSES = [502, 503, 504];

/**
 * Sends the request to publish a complete upload with the fields of the form. Retries lost connections and proxy errors
 * without limit, since a repeated request gets the outcome of the first one.
 */
export async function requestPublish(request: {
  upload: string;
  texts: UploadTexts;
  intent: UploadIntent;
  /** The accepted version of the uploaders' terms. */
  terms?: string;
  thumbnail?: Blob;
  accepted: Accepted;
  onInterrupted: () => void;
}): Promise<UploadOutcome> {
  const form = new FormData();
  for (const [name, text] of Object.entries(request.texts)) form.set(name, text);
  form.set("intent", request.intent);
  if (request.terms) form.set("terms", request.terms);
  form.set("upload", request.upload);
  form.set("duplicate", request.accepted === "nothing" ? "ask" : "keep");
  form.set("incomplete", request.accepted === "cut off" ? "keep" : "ask");
  if (request.thumbnail) form.set("thumbnail", request.thumbnail, "thumbnail");
  const failed = (status: number, message: string): UploadOutcome => ({
    ok: false,
    status,
    failure: { message, texts: request.texts, fields: {} },
  });
  for (;;) {
    try {
      const answer = await fetch("/admin/publish", { method: "POST", body: form });
      const { status } = answer;
      const isOutcome = answer.headers.get("Content-Type")?.includes("json");
      if (isOutcome) return (await answer.json()) as UploadOutcome;
      if (!RETRYABLE_STATUSES.includes(status)) {
        return failed(status, status === 401 ? MESSAGES.signedOut : MESSAGES.failed);
      }
    } catch {
      // The connection was lost.
    }
    request.onInterrupted();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}
