import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { StorageAddress } from "~/platform/storage/storage-url";
import { type ObjectStore, StorageError, type StorageFailure } from "./object-store";

/**
 * The size of a part. S3 allows at most 10,000 parts per object, and all parts except the last must be at least 5 MiB.
 */
const PART_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 9_000;
/** The size of the chunks that are hashed synchronously. Hashing one blocks the server's thread for about 3 ms. */
const CHUNK_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 4;
const CONNECTED_WITHIN_MS = 10_000;
/** The time limit for one attempt. An 8 MiB part takes 64 s at 1 Mbit/s. */
const ANSWERED_WITHIN_MS = 90_000;
/** The total time limit for all attempts to read an object, so that no visitor waits longer than this for an image. */
const READ_WITHIN_MS = 15_000;
/** If a store sends nothing for this long in the middle of a response, it has stalled. */
const SILENT_MS = 10_000;

export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

/** Returns a store for a bucket on an S3-compatible service, or only for the bucket's keys with a given prefix. */
export function s3Store(
  { endpoint, region, bucket: Bucket, prefix }: Extract<StorageAddress, { kind: "s3" }>,
  credentials: S3Keys,
): ObjectStore {
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 32 };
  const client = new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    maxAttempts: MAX_ATTEMPTS,
    // Stores other than Amazon's don't support the newer checksums. They aren't needed, because the signature covers
    // the SHA-256 of the content.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: CONNECTED_WITHIN_MS,
      requestTimeout: ANSWERED_WITHIN_MS,
      throwOnRequestTimeout: true,
    },
  });
  // The offset of the store's clock, which determines when presigned URLs expire.
  let clockOffsetMs = 0;
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { date } = (result.response as { headers?: Record<string, string> }).headers ?? {};
      const storeTime = Date.parse(date ?? "");
      if (Number.isFinite(storeTime)) clockOffsetMs = storeTime - Date.now();
      return result;
    },
    { step: "deserialize", name: "readClock" },
  );
  const objectAt = (key: string) => ({ Bucket, Key: prefix + key });

  async function put(key: string, file: string, contentType?: string) {
    const { size } = await stat(file);
    const hash = createHash("sha256");
    let bytes = 0;
    async function* hashed() {
      for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    }
    const upload = new Upload({
      client,
      params: { ...objectAt(key), Body: Readable.from(hashed()), ContentType: contentType },
      partSize: Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS)),
      queueSize: 1,
    });
    try {
      await upload.done();
    } catch (error) {
      // An attempt may have completed the upload even though its response was lost. The size is checked below.
      if ((error as Error).name !== "NoSuchUpload") throw toStorageError(error);
    }
    if ((await head(key))?.bytes !== bytes) throw new StorageError("damaged", key);
    return { sha256: hash.digest("hex"), bytes };
  }

  async function head(key: string) {
    try {
      const { ContentLength = 0 } = await client.send(new HeadObjectCommand(objectAt(key)));
      return { bytes: ContentLength };
    } catch (error) {
      const failure = toStorageError(error);
      if (failure.failure === "missing") return undefined;
      throw failure;
    }
  }

  async function* unfinished(before: number) {
    for (let next = {}; ; ) {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...next });
      const page = await translated(client.send(command));
      for (const { Key = "", UploadId, Initiated } of page.Uploads ?? []) {
        if (Initiated && Initiated.getTime() < before) yield { Key, UploadId };
      }
      if (!page.IsTruncated) return;
      next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  return {
    put,
    head,
    async get(key, range, signal) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new GetObjectCommand({ ...objectAt(key), Range });
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), READ_WITHIN_MS);
      const abortSignal = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      try {
        const { Body } = await translated(client.send(command, { abortSignal }));
        return endedWhenSilent(Body as unknown as IncomingMessage);
      } finally {
        clearTimeout(timer);
      }
    },
    async remove(key) {
      await translated(client.send(new DeleteObjectCommand(objectAt(key))));
    },
    async *list() {
      try {
        for await (const { Contents = [] } of paginateListObjectsV2(
          { client },
          { Bucket, Prefix: prefix },
        )) {
          for (const { Key = "", Size = 0, LastModified } of Contents) {
            const modifiedMs = LastModified?.getTime() ?? 0;
            yield { key: Key.slice(prefix.length), bytes: Size, modifiedMs };
          }
        }
      } catch (error) {
        throw toStorageError(error);
      }
    },
    presign(key, seconds, contentType) {
      const command = new GetObjectCommand({ ...objectAt(key), ResponseContentType: contentType });
      const signingDate = new Date(Date.now() + clockOffsetMs);
      return getSignedUrl(client, command, { expiresIn: seconds, signingDate });
    },
    async unfinished(before) {
      const keys: string[] = [];
      for await (const { Key } of unfinished(before)) keys.push(Key.slice(prefix.length));
      return keys;
    },
    async removeUnfinished(before) {
      let removed = 0;
      for await (const upload of unfinished(before)) {
        await translated(client.send(new AbortMultipartUploadCommand({ Bucket, ...upload })));
        removed += 1;
      }
      return removed;
    },
  };
}

/**
 * Aborts a response if the store stalls. If there are unread bytes, the client has paused and the store hasn't stalled.
 */
function endedWhenSilent(body: IncomingMessage): Readable {
  const onTimeout = () => {
    if (body.readableLength > 0) body.setTimeout(SILENT_MS);
    else body.destroy(new StorageError("away", "timed out"));
  };
  return body.setTimeout(SILENT_MS, onTimeout);
}

const DENIED = [401, 403];
/** Ceph returns QuotaExceeded; MinIO returns XMinioAdminBucketQuotaExceeded (with status 400) or XMinioStorageFull. */
const FULL = /QuotaExceeded$|^EntityTooLarge$|^InsufficientStorage$|StorageFull$/;

/** Waits for a response from the store. @throws {StorageError} */
async function translated<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Converts an error from the S3 client or Node. */
function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return new StorageError(failureOf(status, name), status ? name : message);
}

function failureOf(status: number | undefined, code: string): StorageFailure {
  if (FULL.test(code) || status === 507 || status === 413) return "full";
  if (code === "NoSuchBucket" || DENIED.includes(status ?? 0)) return "denied";
  return status === 404 ? "missing" : "away";
}
