import type { CutOff } from "~/shared/cut-off";
import type { FileLimits } from "~/shared/file-rules";
import { videoFile } from "~/shared/file-rules";
import { titleFromFileName } from "~/shared/file-title";
import { formatBytes } from "~/shared/format-bytes";
import { formatSpan } from "~/shared/format-span";
import { check, firstMessage } from "~/shared/video-fields";
import type { Duplicate, UploadIntent, UploadTexts } from "./upload-fields";

/** The items of the queue on the Upload tab, and the rules that can be tested without a browser. */

export type ItemState =
  /** The file has been selected but not sent yet. */
  | "chosen"
  /** Queued. */
  | "waiting"
  | "sending"
  | "paused"
  /** All bytes have arrived, and the server is creating the video. */
  | "publishing"
  /** The catalogue already contains the same file. The admin must decide whether to publish it anyway. */
  | "duplicate"
  /** The file is incomplete. The admin must decide whether to publish it anyway. */
  | "cut off"
  | "failed"
  | "done";

export interface QueueItem {
  key: string;
  file: File;
  /** The file's own text. If a field is empty, the form's text is used instead. */
  own: UploadTexts;
  /** The thumbnail: an image file, or a frame from the video. */
  thumbnail?: Blob;
  state: ItemState;
  sentBytes: number;
  /** The smoothed throughput; 0 while it is still unknown. */
  bytesPerSecond: number;
  /** The text, the intent and the version of the uploaders' terms that were sent with the file. */
  sent?: { texts: UploadTexts; intent: UploadIntent; terms?: string };
  /** The id of the upload, once all bytes have arrived. */
  upload?: string;
  /** Why the upload failed or is waiting. */
  message?: string;
  /** Whether a retry is pointless because the upload would fail again. */
  unrecoverable?: boolean;
  duplicate?: Duplicate;
  cutOff?: CutOff;
  videoId?: string;
  isPublished?: boolean;
  needsConsent?: boolean;
}

export type QueueAction =
  | { type: "add"; items: QueueItem[] }
  | { type: "patch"; key: string; patch: Partial<QueueItem> }
  | { type: "own"; key: string; own: Partial<UploadTexts> }
  | { type: "remove"; keys: string[] };

export function reduceQueue(items: QueueItem[], action: QueueAction): QueueItem[] {
  switch (action.type) {
    case "add":
      return [...items, ...action.items];
    case "patch":
      return items.map((item) => (item.key === action.key ? { ...item, ...action.patch } : item));
    case "own":
      return items.map((item) =>
        item.key === action.key ? { ...item, own: { ...item.own, ...action.own } } : item,
      );
    case "remove":
      return items.filter((item) => !action.keys.includes(item.key));
  }
}

/** Returns whether leaving the page would lose work or stop an upload. */
export function isUnderWay({ state }: QueueItem): boolean {
  return state === "waiting" || state === "sending" || state === "paused" || state === "publishing";
}

/**
 * Returns whether the form's button sends an item. It sends files that were selected, and files that failed for a
 * reason that the user can fix in the form.
 */
export function canBeSent({ state, sent, unrecoverable }: QueueItem): boolean {
  return state === "chosen" || (state === "failed" && sent !== undefined && !unrecoverable);
}

/**
 * Returns whether an item is finished, successfully or not. Finished items are removed when other files are selected.
 */
export function isFinished({ state, unrecoverable }: QueueItem): boolean {
  return state === "done" || unrecoverable === true;
}

/** Returns the next item to send, or undefined if one is already being sent. Files are sent one at a time. */
export function nextToSend(items: readonly QueueItem[]): QueueItem | undefined {
  if (items.some(({ state }) => state === "sending" || state === "publishing")) return undefined;
  return items.find(({ state }) => state === "waiting");
}

/** Returns why a file will be rejected, if the browser can tell before sending the first byte. */
export function fileError(
  file: Pick<File, "name" | "size" | "type">,
  limits: FileLimits,
): string | undefined {
  const checked = check(videoFile(limits), { name: file.name, size: file.size, type: file.type });
  return checked.ok ? undefined : firstMessage(checked);
}

/** Returns the text to send with an item. If the item has no text of its own, the form's text is sent. */
export function textsFor(item: QueueItem, form: UploadTexts, several: boolean): UploadTexts {
  return {
    title: several ? item.own.title.trim() || titleFromFileName(item.file.name) : form.title,
    description: item.own.description.trim() || form.description,
    category: item.own.category || form.category,
    tags: item.own.tags.trim() || form.tags,
    duration: (several ? item.own.duration : form.duration) || item.own.duration,
    publishAt: form.publishAt,
    unpublishAt: form.unpublishAt,
  };
}

/**
 * Returns the text fields to send when a video's file has arrived. If the scheduled time passed during the upload, the
 * video is published immediately.
 */
export function onArrival(
  sent: NonNullable<QueueItem["sent"]>,
  now: number,
): NonNullable<QueueItem["sent"]> {
  const { texts } = sent;
  const isDue = texts.publishAt !== "" && Date.parse(texts.publishAt) <= now;
  return isDue ? { ...sent, texts: { ...texts, publishAt: "" }, intent: "publish" } : sent;
}

/** The window of the moving average. Long enough for a steady value, but short enough to follow changes. */
const SPEED_WINDOW_MS = 4_000;

/** Measures the throughput over the last few seconds, in bytes per second. */
export function throughputMeter(now: () => number) {
  const samples: { at: number; bytes: number }[] = [];
  return (bytes: number): number => {
    const at = now();
    samples.push({ at, bytes });
    while (samples.length > 2 && at - samples[0]!.at > SPEED_WINDOW_MS) samples.shift();
    const first = samples[0]!;
    return at > first.at ? Math.max(0, ((bytes - first.bytes) * 1000) / (at - first.at)) : 0;
  };
}

/** Formats the percentage, speed and remaining time of an upload. Values that aren't known yet are left out. */
export function progressFigures(size: number, sent: number, bytesPerSecond: number): string[] {
  const left = timeLeft(size - sent, bytesPerSecond);
  return [
    `${Math.floor(size > 0 ? (sent * 100) / size : 100)}%`,
    ...(bytesPerSecond > 0 ? [`${formatBytes(bytesPerSecond)}/s`] : []),
    ...(left ? [`${left} left`] : []),
  ];
}

/** Formats the remaining time (`8 s`, `3 min 20 s`, `1 h 5 min`). Returns undefined while the throughput is unknown. */
export function timeLeft(bytesLeft: number, bytesPerSecond: number): string | undefined {
  if (bytesPerSecond <= 0) return undefined;
  return formatSpan(Math.ceil(bytesLeft / bytesPerSecond));
}
