import { AsyncLocalStorage } from "node:async_hooks";
import os from "node:os";
import { settings } from "~/platform/settings.server";
import { processState } from "~db/runtime.server";
import { UploadError } from "../intake/upload-error.server";

/**
 * Limits how many ffmpeg and ffprobe processes run outside the job queue: those that probe an upload, extract a frame
 * for a thumbnail, or verify a worker's result. The queue limits its own processes. Every process has to pass this gate
 * (ffmpeg.server.ts, task.server.ts), so that new callers can't bypass it by mistake.
 */

/** The maximum number of processes. Decoding one frame of an 8K video takes one core and up to 431 MB of memory. */
const MAX_PROCESSES = 2;
/**
 * The maximum number of waiting calls per account. A person edits one video at a time; a script that sends more
 * requests has to wait for responses.
 */
const MAX_WAITING = 8;
const GIB = 1024 ** 3;
/** The minimum memory limit for a process. Decoding a 10-bit 8K frame takes less than 1 GiB of address space. */
const MIN_MEMORY_BYTES = 1.5 * GIB;

interface Waiting {
  start(): void;
}

export interface SlotOptions {
  /** The account that the work is for; omitted for the site itself. Slots rotate among accounts. */
  owner?: string;
  /** A signal that cancels the wait. */
  signal?: AbortSignal;
  /** Whether to wait even if the owner's queue is full, for example because an upload would otherwise be lost. */
  ignoresQueueLimit?: boolean;
}

/** A semaphore with one queue per owner. The queues are served in rotation. */
export class ProcessGate {
  private running = 0;
  /** The owners' queues, in the order in which they are served. The key `undefined` is the site itself. */
  private readonly queues = new Map<string | undefined, Waiting[]>();

  constructor(
    private readonly slots: number,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Waits for a slot. Returns the function that frees it.
   *
   * @throws {UploadError} 429 if the owner's queue is full. The site's queue has no limit.
   * @throws the signal's abort reason if it is aborted before a slot is free.
   */
  async enter(options: SlotOptions): Promise<() => void> {
    options.signal?.throwIfAborted();
    if (this.running < this.slots) this.running += 1;
    else await this.wait(options);
    let isFree = false;
    return () => {
      if (!isFree) this.leave();
      isFree = true;
    };
  }

  private wait({ owner, signal, ignoresQueueLimit }: SlotOptions): Promise<void> {
    const queue = this.queues.get(owner) ?? [];
    if (owner !== undefined && !ignoresQueueLimit && queue.length >= this.maxWaiting) {
      throw new UploadError(
        429,
        `You already have ${this.maxWaiting} requests waiting to process a video. Try again when they are done.`,
      );
    }
    this.queues.set(owner, queue);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.queues.delete(owner);
        reject(signal?.reason);
      };
      const waiting = {
        start() {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      queue.push(waiting);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Gives the slot to the next owner, who then moves to the end of the rotation. */
  private leave(): void {
    for (const [owner, queue] of this.queues) {
      const next = queue.shift();
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      next?.start();
      return;
    }
    this.running -= 1;
  }
}

const gate = processState("process gate", () => new ProcessGate(MAX_PROCESSES, MAX_WAITING));

/** Why the current async context may start processes: it is a queued job, or it has a slot. */
type Permit = "job" | "slot";
const permits = new AsyncLocalStorage<Permit>();

/** Runs work whose processes don't need a slot, because another queue limits their number. */
export function asJob<T>(work: () => Promise<T>): Promise<T> {
  return permits.run("job", work);
}

/**
 * Waits for a slot and then runs work that starts processes one at a time. Jobs and nested calls don't wait for a slot.
 *
 * @throws {UploadError} 429 if too many of the owner's calls are already waiting.
 */
export async function withSlot<T>(work: () => Promise<T>, options: SlotOptions = {}): Promise<T> {
  if (permits.getStore()) return work();
  const leave = await gate().enter(options);
  try {
    return await permits.run("slot", work);
  } finally {
    leave();
  }
}

/**
 * Returns how much memory a process may use, at most `maxBytes`. Outside the job queue, the memory is divided equally
 * among all slots and jobs. Jobs aren't limited to a share, because encoding 4K needs all available memory.
 */
export function memoryOfProcess(maxBytes: number): number {
  if (permits.getStore() === "job") return maxBytes;
  const memory = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const share = memory / (MAX_PROCESSES + settings().encoderConcurrency);
  return Math.min(maxBytes, Math.max(MIN_MEMORY_BYTES, Math.floor(share)));
}
