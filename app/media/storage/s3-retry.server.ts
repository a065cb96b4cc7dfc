import { setTimeout as pause } from "node:timers/promises";
import { StorageError, type StorageFailure } from "./object-store";

/** After each of these a request is sent once more: what a store says while it moves things takes seconds. */
const RETRY_AFTER_MS = [200, 800, 2_400];
const DENIED = [401, 403];
/** Ceph has QuotaExceeded, MinIO XMinioAdminBucketQuotaExceeded (with status 400) and XMinioStorageFull. */
const FULL = /QuotaExceeded$|^EntityTooLarge$|^InsufficientStorage$|StorageFull$/;

/** Who watches waits for an answer; after so long another attempt is too late. */
export const READ_WITHIN_MS = 5_000;

/**
 * @param withinMs after which no other attempt is begun.
 * @param signal after which no other attempt is begun either.
 * @throws {StorageError} once a store has failed four times, and at once for what stays as it is.
 */
export async function retried<T>(
  request: () => Promise<T>,
  withinMs = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): Promise<T> {
  const began = performance.now();
  for (const afterMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      return await request();
    } catch (error) {
      const failure = toStorageError(error);
      const isLate = performance.now() - began > withinMs || signal?.aborted;
      const isLast = afterMs === undefined || isLate;
      if (failure.failure !== "away" || isLast) throw failure;
      await pause(afterMs, undefined, { signal });
    }
  }
  throw new StorageError("away");
}

/** What the client of the store, or Node, has thrown. */
function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { status, body, message, serviceCode } = error as {
    status?: number;
    serviceCode?: string;
    body?: string;
    message: string;
  };
  // The client reads the code of application/xml alone; with a charset it says "Unknown".
  const code = /<Code>(\w+)<\/Code>/.exec(body ?? "")?.[1] ?? serviceCode;
  return new StorageError(failureOf(status, code), code ?? message);
}

export function failureOf(status: number | undefined, code = ""): StorageFailure {
  if (FULL.test(code) || status === 507 || status === 413) return "full";
  if (code === "NoSuchBucket" || DENIED.includes(status ?? 0)) return "denied";
  return status === 404 ? "missing" : "away";
}
