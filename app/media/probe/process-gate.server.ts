import { AsyncLocalStorage } from "node:async_hooks";
import os from "node:os";
import { settings } from "~/platform/settings.server";
import { processState } from "~db/runtime.server";
import { UploadError } from "../intake/upload-error.server";

/**
 * Limits how many ffmpeg and ffprobe processes run outside the job queue: those that examine an upload, take a
 * frame for a thumbnail, or check what a worker has sent. The queue limits its own. Every process passes here
 * (ffmpeg.server.ts, task.server.ts), so that a new caller can't forget it.
 */

/** One frame of an 8K video takes up to 431 MB and a processor. */
const MAX_PROCESSES = 2;
/** Of one account. A person edits one video at a time; a script with more has to wait for its answers. */
const MAX_WAITING = 8;
const GIB = 1024 ** 3;
/** A 10-bit frame of 8K takes less than 1 GiB of address space. */
const MIN_MEMORY_BYTES = 1.5 * GIB;

interface Waiting {
  start(): void;
}

export interface PlaceOptions {
  /** The account that the work is for, which takes turns with others; left out for the site itself. */
  owner?: string;
  /** Ends the waiting. */
  signal?: AbortSignal;
  /** Waits however long the queue of the owner is, as for an upload whose bytes would be lost. */
  isPatient?: boolean;
}

/** A semaphore with a queue for each owner, who take turns. */
export class ProcessGate {
  private running = 0;
  /** The owner whose turn is next comes first. Undefined is the site itself. */
  private readonly queues = new Map<string | undefined, Waiting[]>();

  constructor(
    private readonly places: number,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Waits for a place. Returns what frees it.
   *
   * @throws {UploadError} 429 if the queue of the owner is full. That of the site has no limit.
   * @throws the reason of the signal if it is aborted before there is a place.
   */
  async enter(options: PlaceOptions): Promise<() => void> {
    options.signal?.throwIfAborted();
    if (this.running < this.places) this.running += 1;
    else await this.wait(options);
    let isFree = false;
    return () => {
      if (!isFree) this.leave();
      isFree = true;
    };
  }

  private wait({ owner, signal, isPatient }: PlaceOptions): Promise<void> {
    const queue = this.queues.get(owner) ?? [];
    if (owner !== undefined && !isPatient && queue.length >= this.maxWaiting) {
      throw new UploadError(
        429,
        `${this.maxWaiting} of your requests are already waiting to read a video. Wait until they are done, then try again.`,
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

  /** Passes the place on to the next owner, who goes to the end of the line. */
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

/** Who has been let through: a job of the queue, or what has a place of its own. */
type Permit = "job" | "place";
const permits = new AsyncLocalStorage<Permit>();

/** Runs work whose processes don't wait, because the job queue or a queue of its own limits them. */
export function asJob<T>(work: () => Promise<T>): Promise<T> {
  return permits.run("job", work);
}

/**
 * Runs work that starts processes one after the other, as soon as there is a place. Work inside of it, and jobs,
 * don't wait again.
 *
 * @throws {UploadError} 429 if too much work of the owner is waiting.
 */
export async function withPlace<T>(work: () => Promise<T>, options: PlaceOptions = {}): Promise<T> {
  if (permits.getStore()) return work();
  const leave = await gate().enter(options);
  try {
    return await permits.run("place", work);
  } finally {
    leave();
  }
}

/**
 * Returns the memory that a process outside the job queue may take, at most `maxBytes`: its share if all of them,
 * and all jobs, take as much. Jobs aren't limited by it: an encoder of 4K needs what there is.
 */
export function memoryOfProcess(maxBytes: number): number {
  if (permits.getStore() === "job") return maxBytes;
  const memory = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const share = memory / (MAX_PROCESSES + settings().encoderConcurrency);
  return Math.min(maxBytes, Math.max(MIN_MEMORY_BYTES, Math.floor(share)));
}
