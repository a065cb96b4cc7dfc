import type { CutOff } from "~/shared/cut-off";
import type { FileLimits } from "~/shared/file-rules";
import { videoFile } from "~/shared/file-rules";
import { titleFromFileName } from "~/shared/file-title";
import { formatBytes } from "~/shared/format-bytes";
import { formatSpan } from "~/shared/format-span";
import { check, firstMessage } from "~/shared/video-fields";
import type { Duplicate, UploadIntent, UploadTexts } from "./upload-fields";

/** The queue of the upload tab: what is in it, and the rules that need no browser. */

export type ItemState =
  /** Chosen, not sent yet. */
  | "chosen"
  /** Its turn comes. */
  | "waiting"
  | "sending"
  | "paused"
  /** All bytes are there, the server makes a video of them. */
  | "publishing"
  /** The catalogue has the same file already; the admin decides. */
  | "duplicate"
  /** The file ends before its video does; the admin decides. */
  | "cut off"
  | "failed"
  | "done";

export interface QueueItem {
  key: string;
  file: File;
  /** What is this file's own; an empty text means the form's, which is the default for all. */
  own: UploadTexts;
  /** A file, or a frame of the video. */
  thumbnail?: Blob;
  state: ItemState;
  sentBytes: number;
  /** Smoothed; 0 while nothing is known. */
  bytesPerSecond: number;
  /** The texts, the intent and the version of the uploaders' terms that it was sent with. */
  sent?: { texts: UploadTexts; intent: UploadIntent; terms?: string };
  /** The id of the upload, once all its bytes are there. */
  upload?: string;
  /** Why it failed, or what it waits for. */
  message?: string;
  /** No other try can make a video of this file. */
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

/** Work that would be lost, or stop, when the page is left. */
export function isUnderWay({ state }: QueueItem): boolean {
  return state === "waiting" || state === "sending" || state === "paused" || state === "publishing";
}

/** What the form's button sends: what was chosen, and what failed for a reason the form can mend. */
export function canBeSent({ state, sent, unrecoverable }: QueueItem): boolean {
  return state === "chosen" || (state === "failed" && sent !== undefined && !unrecoverable);
}

/** What is over, one way or the other: it makes room when other files are chosen. */
export function isFinished({ state, unrecoverable }: QueueItem): boolean {
  return state === "done" || unrecoverable === true;
}

/** The item to begin with when nothing is being sent: one line carries one file best. */
export function nextToSend(items: readonly QueueItem[]): QueueItem | undefined {
  if (items.some(({ state }) => state === "sending" || state === "publishing")) return undefined;
  return items.find(({ state }) => state === "waiting");
}

/** Why a file is rejected, as far as the browser can check before the first byte is sent. */
export function fileError(
  file: Pick<File, "name" | "size" | "type">,
  limits: FileLimits,
): string | undefined {
  const checked = check(videoFile(limits), { name: file.name, size: file.size, type: file.type });
  return checked.ok ? undefined : firstMessage(checked);
}

/** What an item is sent with: its own texts, else the form's. */
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

/** What to publish a file with once it has arrived: its time may have come while it was on its way. */
export function onArrival(
  sent: NonNullable<QueueItem["sent"]>,
  now: number,
): NonNullable<QueueItem["sent"]> {
  const { texts } = sent;
  const isDue = texts.publishAt !== "" && Date.parse(texts.publishAt) <= now;
  return isDue ? { ...sent, texts: { ...texts, publishAt: "" }, intent: "publish" } : sent;
}

/** Window of the moving average; long enough to be steady, short enough to follow changes. */
const SPEED_WINDOW_MS = 4_000;

/** Measures bytes per second over the last few seconds. */
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

/** Percent, speed and time left of an upload, as far as they are known. */
export function progressFigures(size: number, sent: number, bytesPerSecond: number): string[] {
  const left = timeLeft(size - sent, bytesPerSecond);
  return [
    `${Math.floor(size > 0 ? (sent * 100) / size : 100)}%`,
    ...(bytesPerSecond > 0 ? [`${formatBytes(bytesPerSecond)}/s`] : []),
    ...(left ? [`${left} left`] : []),
  ];
}

/** `8 s`, `3 min 20 s`, `1 h 5 min`; undefined while the throughput is unknown. */
export function timeLeft(bytesLeft: number, bytesPerSecond: number): string | undefined {
  if (bytesPerSecond <= 0) return undefined;
  return formatSpan(Math.ceil(bytesLeft / bytesPerSecond));
}
