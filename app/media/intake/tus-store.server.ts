import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { FileStore } from "@tus/file-store";
import { Upload } from "@tus/server";
import { stopAtShutdown } from "~/platform/node/request-body.server";
import { settings } from "~/platform/settings.server";
import { videoSize } from "~/shared/file-rules";
import {
  oneAtATime,
  renewReservation,
  requireDiskSpace,
  unfinishedUploads,
  uploaderOf,
  uploadRecords,
} from "./disk-space.server";
import { fileSink, HEAD_BYTES, pump } from "./received-file.server";
import { videoExtension } from "./sniff.server";
import { shuttingDown, toUploadError, UploadError } from "./upload-error.server";

/** How long an upload is kept after its last byte, whether or not it is complete. */
const UPLOAD_LIFE_MS = 24 * 3_600 * 1000;

/** The maximum number of unfinished uploads per user, because each of them reserves disk space. */
const MAX_UNFINISHED = 100;

/** https://tus.io/protocols/resumable-upload#checksum */
export const CHECKSUM_ALGORITHMS = ["sha1", "sha256", "sha512", "md5"] as const;

/** The tus request that is being handled. */
export interface Incoming {
  body: () => Readable;
  /** The request's Content-Length. */
  length: number;
  checksum?: { algorithm: string; digest: Buffer };
  /** The id of the user if their share of the disk is limited; see `requireDiskSpace`. */
  limitedUploader: string | undefined;
  /**
   * @throws {UploadError} if the upload must not begin.
   */
  requireAdmission: (upload: { terms: string | undefined; bytes: number }) => void;
  /** How long a rejected client has to wait before it retries. */
  retryAfterSeconds?: number;
  /** The request's body, while it is being read. */
  reading?: Readable;
}

export const incoming = new AsyncLocalStorage<Incoming>();

/** The running digest of the first `bytes` bytes of an upload. */
interface Digest {
  hash: Hash;
  bytes: number;
}

/**
 * The tus package's store, but with a different way of writing: data goes directly from the request to the file instead
 * of through four streams, and the digest is computed and the client's checksum verified on the way.
 */
export class UploadStore extends FileStore {
  private digests = new Map<string, Digest>();
  /** The uploads to which a request is writing. */
  private receiving = new Set<string>();

  constructor(directory: string) {
    super({
      directory,
      configstore: uploadRecords(directory),
      expirationPeriodInMilliseconds: UPLOAD_LIFE_MS,
    });
    this.extensions.push("checksum");
  }

  /**
   * Creates an upload if there is enough disk space for the whole file.
   *
   * @throws {UploadError} 429 if the user has too many unfinished uploads, 507 if the disk is too full.
   */
  override create(upload: Upload): Promise<Upload> {
    return oneAtATime(async () => {
      const uploader = uploaderOf(upload.id);
      const own = (await unfinishedUploads()).filter(({ id }) => uploaderOf(id) === uploader);
      if (own.length >= MAX_UNFINISHED) {
        throw new UploadError(
          429,
          `You already have ${MAX_UNFINISHED} unfinished uploads. Finish or cancel one of them first.`,
        );
      }
      const bytes = upload.size ?? settings().maxVideoBytes;
      await requireDiskSpace(bytes, incoming.getStore()?.limitedUploader);
      return super.create(upload);
    });
  }

  override async write(empty: Readable, id: string, offset: number): Promise<number> {
    this.receiving.add(id);
    try {
      return await this.receive(empty, id, offset);
    } finally {
      this.receiving.delete(id);
    }
  }

  /**
   * Computes the digest of a complete upload that doesn't have one yet because the process exited or the disk was full
   * at the end. The client has no reason to send anything else, since all bytes were acknowledged.
   */
  async lateDigest(id: string, record: Upload): Promise<string | undefined> {
    const { size } = await stat(path.join(this.directory, id));
    if (size !== record.size || this.receiving.has(id)) return undefined;
    return this.finish(id, record);
  }

  private async receive(_empty: Readable, id: string, offset: number): Promise<number> {
    const source = incoming.getStore();
    const record = await this.configstore.get(id);
    if (!source || !record) throw { status_code: 404, body: "This upload does not exist.\n" };
    // For uploads of unknown length, the size limit for videos applies.
    const { maxBytes, tooLarge } = videoSize(settings());
    const maxLength = (record.size ?? maxBytes) - offset;
    const tooMuch = record.size === undefined ? tooLarge : "The upload is larger than declared.";
    const digest = this.digestAt(id, offset);
    const checksum = source.checksum && createHash(source.checksum.algorithm);
    let admitted = 0;
    let written = 0;

    if (offset === 0) await renewReservation(id, record.size ?? maxBytes, source.limitedUploader);
    const target = path.join(this.directory, id);
    const file = await open(target, "r+");
    try {
      const sink = fileSink(file, offset, {
        admit(length) {
          admitted += length;
          if (admitted > maxLength) throw new UploadError(413, tooMuch);
        },
        wrote(chunk) {
          written += chunk.length;
          digest?.hash.update(chunk);
          checksum?.update(chunk);
        },
        ...(offset === 0 && source.length >= HEAD_BYTES && { head: videoHead }),
      });
      source.reading = source.body();
      stopAtShutdown(source.reading, () => sink.destroy(shuttingDown()));
      await pump(source.reading, sink);
      if (checksum && !checksum.digest().equals(source.checksum?.digest ?? Buffer.alloc(0))) {
        throw { status_code: 460, body: "Checksum Mismatch\n" };
      }
    } catch (error) {
      // Keep what was received before the failure, unless the chunk has a checksum.
      await file.truncate(offset + (checksum ? 0 : written));
      if (checksum) this.digests.delete(id);
      else if (digest) digest.bytes = offset + written;
      if (error instanceof UploadError && error.status === 415) await this.remove(id);
      throw toUploadError(error);
    } finally {
      await file.close();
    }
    if (digest) digest.bytes = offset + written;
    if (offset + written === record.size) await this.finish(id, record);
    return offset + written;
  }

  override async remove(id: string): Promise<void> {
    this.digests.delete(id);
    await super.remove(id);
  }

  /** Returns the digest if it covers all bytes before an offset. */
  private digestAt(id: string, offset: number): Digest | undefined {
    if (offset === 0) this.digests.set(id, { hash: createHash("sha256"), bytes: 0 });
    const digest = this.digests.get(id);
    // After a restart, the digest of the bytes received so far is missing, so `finish` reads the whole file instead.
    return digest?.bytes === offset ? digest : undefined;
  }

  private async finish(id: string, record: Upload): Promise<string> {
    const digest = this.digests.get(id);
    const whole = digest && digest.bytes === record.size ? digest.hash.digest("hex") : undefined;
    this.digests.delete(id);
    const sha256 = whole ?? (await digestOf(path.join(this.directory, id)));
    const metadata = { ...record.metadata, sha256 };
    await this.configstore.set(id, new Upload({ ...record, metadata }));
    return sha256;
  }
}

const videoHead = {
  bytes: HEAD_BYTES,
  check: async (head: Buffer) => void (await videoExtension(head)),
};

/** Returns the digest of a file in hexadecimal. */
export async function digestOf(
  file: string,
  algorithm: "sha256" | "md5" = "sha256",
): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}
