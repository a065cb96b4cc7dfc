import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { S3mini } from "s3mini";
import type { StorageAddress } from "~/server/storage/storage-url";
import { type ObjectStore, StorageError } from "./object-store";
import { completeParts, s3Parts } from "./s3-parts.server";
import { readFrom } from "./s3-read.server";
import { READ_WITHIN_MS, retried } from "./s3-retry.server";

/** A store takes at most 10,000 parts of an object, each but the last of at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 9_000;
/** Read and hashed at once: the thread that also serves is held for about 3 ms. */
const CHUNK_BYTES = 1024 * 1024;
/** What has not answered by then will not; a part of 8 MiB takes 64 s at 1 Mbit/s. */
const REQUEST_MS = 90_000;
/** Of an address that is used at once, to read through the site. */
const READ_SECONDS = 600;

export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A bucket of an S3-compatible store, or what of it begins with a prefix. */
export function s3Store(
  { endpoint, region, prefix }: Extract<StorageAddress, { kind: "s3" }>,
  keys: S3Keys,
): ObjectStore {
  const s3 = new S3mini({ ...keys, endpoint, region, requestAbortTimeout: REQUEST_MS });
  const nameOf = (key: string) => prefix + key;

  async function put(key: string, file: string, contentType?: string) {
    const name = nameOf(key);
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS));
      const whole = createHash("sha256");
      const readPart = async (start: number) => {
        const part = Buffer.allocUnsafe(Math.min(partBytes, size - start));
        const md5 = createHash("md5");
        for (let at = 0; at < part.length; ) {
          const length = Math.min(CHUNK_BYTES, part.length - at);
          const { bytesRead } = await handle.read(part, at, length, start + at);
          if (bytesRead === 0) throw new Error(`${file} is shorter than it was.`);
          const chunk = part.subarray(at, at + bytesRead);
          whole.update(chunk);
          md5.update(chunk);
          at += bytesRead;
        }
        return { part, md5: md5.digest("hex") };
      };
      if (size <= partBytes) {
        const { part, md5 } = await readPart(0);
        const answer = await retried(() => s3.putObject(name, part, contentType));
        requireSame(md5, answer.headers.get("etag"));
      } else {
        await putParts(name, contentType, size, partBytes, readPart);
      }
      const stored = await head(key);
      if (stored?.bytes !== size) throw new StorageError("damaged", key);
      return { sha256: whole.digest("hex"), bytes: size };
    } finally {
      await handle.close();
    }
  }

  async function putParts(
    name: string,
    contentType: string | undefined,
    size: number,
    partBytes: number,
    readPart: (start: number) => Promise<{ part: Buffer; md5: string }>,
  ): Promise<void> {
    const upload = await retried(() => s3.getMultipartUploadId(name, contentType));
    try {
      const parts: { number: number; etag: string }[] = [];
      for (let start = 0; start < size; start += partBytes) {
        const { part, md5 } = await readPart(start);
        const number = parts.length + 1;
        const { etag } = await retried(() => s3.uploadPart(name, upload, part, number));
        requireSame(md5, etag);
        parts.push({ number, etag });
      }
      await retried(() => completeParts(s3, name, upload, parts));
    } catch (error) {
      // What cannot be ended now is ended later, see removeUnfinished.
      await s3.abortMultipartUpload(name, upload).catch(() => {});
      throw error;
    }
  }

  async function head(key: string) {
    const address = await s3.getPresignedUrl("GET", nameOf(key), READ_SECONDS);
    // One byte, since some stores sign a HEAD otherwise; of an empty object there is no range.
    return retried(async () => {
      const answer = await readFrom(address, { start: 0, end: 0 });
      answer.body.resume();
      if (answer.status === 404) return undefined;
      return { bytes: answer.bytes };
    });
  }

  return {
    put,
    head,
    async get(key, range, signal) {
      const address = await s3.getPresignedUrl("GET", nameOf(key), READ_SECONDS);
      const read = () => readFrom(address, range, signal);
      const { body, status } = await retried(read, READ_WITHIN_MS, signal);
      if (status !== 404) return body;
      body.resume();
      throw new StorageError("missing", key);
    },
    async remove(key) {
      await retried(() => s3.deleteObject(nameOf(key)));
    },
    async *list() {
      for (let next: string | undefined; ; ) {
        const page = await retried(() => s3.listObjectsPaged("/", prefix, 1000, next));
        if (!page) throw new StorageError("denied", "no such bucket");
        for (const { Key, Size, LastModified } of page.objects ?? []) {
          const modifiedMs = new Date(LastModified).getTime();
          yield { key: Key.slice(prefix.length), bytes: Number(Size), modifiedMs };
        }
        next = page.nextContinuationToken;
        if (!next) return;
      }
    },
    presign: (key, seconds, contentType) =>
      s3.getPresignedUrl("GET", nameOf(key), seconds, { "response-content-type": contentType }),
    async unfinished(before) {
      const uploads = await unfinishedUploads(s3, prefix, before);
      return uploads.map(({ key }) => key.slice(prefix.length));
    },
    async removeUnfinished(before) {
      const uploads = await unfinishedUploads(s3, prefix, before);
      for (const { key, id } of uploads) await retried(() => s3.abortMultipartUpload(key, id));
      return uploads.length;
    },
    parts: s3Parts(s3, nameOf),
  };
}

/**
 * Nearly every store answers with the MD5 of what it has received; one that encrypts with keys of its own
 * does not, and is asked for the length alone.
 */
function requireSame(md5: string, etag: string | null): void {
  const tag = etag?.replace(/^W\//, "").replaceAll('"', "").toLowerCase();
  if (tag && /^[\da-f]{32}$/.test(tag) && tag !== md5) throw new StorageError("damaged");
}

async function unfinishedUploads(s3: S3mini, prefix: string, before: number) {
  const answer = (await retried(() =>
    s3.listMultipartUploads("/", "", "GET", { prefix }),
  )) as unknown;
  return unfinishedOf(answer).filter(({ begun }) => begun < before);
}

interface Unfinished {
  key: string;
  id: string;
  begun: number;
}

/** The library gives the answer of the store as it parsed it: one upload or a list of them, in either case. */
function unfinishedOf(answer: unknown): Unfinished[] {
  const result = answer as Record<string, Record<string, unknown>>;
  const inner = result.listMultipartUploadsResult ?? result.ListMultipartUploadsResult ?? result;
  const uploads = inner.upload ?? inner.Upload ?? [];
  return [uploads].flat().flatMap((each) => {
    const one = each as Record<string, string>;
    const key = one.key ?? one.Key;
    const id = one.uploadId ?? one.UploadId;
    const begun = Date.parse(one.initiated ?? one.Initiated ?? "");
    return key && id && !Number.isNaN(begun) ? [{ key, id, begun }] : [];
  });
}
