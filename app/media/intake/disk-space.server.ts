import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import type { Upload } from "@tus/server";
import { settings } from "~/platform/settings.server";
import { createMutex } from "~/shared/event-loop";
import { formatBytes } from "~/shared/format-bytes";
import { processState } from "~db/runtime.server";
import { evictCopies } from "../files/local-copies.server";
import { removeTemporary, temporaryFolder } from "../files/temporary-files.server";
import { diskFull, UploadError } from "./upload-error.server";

/**
 * Reserves disk space for uploads. The declared size of an upload counts as used, because many uploads that fit
 * individually could fill the disk together. So that nobody can block other uploads by declaring large sizes, a
 * reservation expires if nothing is sent, and each uploader may reserve only a share of the space.
 */

/** The space that must stay free for the database, its log and jobs. */
const RESERVE_BYTES = 512 * 1024 * 1024;
const RESERVE_SHARE = 0.05;

/** How long an upload reserves space without receiving any bytes. */
const EMPTY_RESERVATION_MS = 10 * 60_000;
/** The maximum share of the free space that one uploader's unfinished uploads may reserve. */
const MAX_UPLOADER_SHARE = 1 / 4;

/** Returns `uploads/tmp/tus`, the folder of resumable uploads. */
export function resumableFolder(): string {
  return path.join(temporaryFolder(), "tus");
}

export interface UnfinishedUpload {
  id: string;
  /** The remaining bytes. For an upload of unknown length, the bytes remaining up to the size limit. */
  bytesLeft: number;
  /** The reserved bytes: `bytesLeft`, or 0 once the reservation has expired. */
  reservedBytes: number;
}

/** Returns a new id for a user's upload. */
export function newUploadId(userId: string): string {
  return `${userId}-${randomUUID().replaceAll("-", "")}`;
}

/** Returns the id of the user who owns an upload. */
export function uploaderOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf("-")));
}

/** Returns the unfinished resumable uploads that are on the disk. */
export async function unfinishedUploads(): Promise<UnfinishedUpload[]> {
  const folder = resumableFolder();
  const records = uploadRecords(folder);
  const ids = await records.list().catch(() => []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const [record, stat] = await Promise.all([
        records.get(id),
        fs.stat(path.join(folder, id)).catch(() => undefined),
      ]);
      if (!record || !stat) return [];
      const left = bytesLeft(record, stat.size);
      return [{ id, bytesLeft: left, reservedBytes: isExpired(stat) ? 0 : left }];
    }),
  );
  return found.flat().filter((upload) => upload.bytesLeft > 0);
}

function bytesLeft({ size }: Pick<Upload, "size">, arrived: number): number {
  return Math.max(0, (size ?? settings().maxVideoBytes) - arrived);
}

/**
 * Whether the reservation has expired. An empty file's modification time is the time when its upload was created or its
 * reservation renewed.
 */
function isExpired({ size, mtimeMs }: { size: number; mtimeMs: number }): boolean {
  return size === 0 && Date.now() - mtimeMs > EMPTY_RESERVATION_MS;
}

/** The space reserved for a form, which shrinks as the form's files are written. */
export interface Reservation {
  written(bytes: number): void;
  release(): void;
}

interface HeldSpace {
  bytes: number;
  uploader: string | undefined;
}

const reservations = processState("disk space reservations", () => new Set<HeldSpace>());

/**
 * Reserves space for a form's files until the reservation is released.
 *
 * @param uploader the id of a user whose share is limited; undefined for anyone else.
 * @throws {UploadError} 507, as `requireDiskSpace` does.
 */
export function reserveDiskSpace(bytes: number, uploader?: string): Promise<Reservation> {
  return oneAtATime(async () => {
    await requireDiskSpace(bytes, uploader);
    const held = { bytes, uploader };
    reservations().add(held);
    return {
      written(written) {
        held.bytes = Math.max(0, held.bytes - written);
      },
      release: () => void reservations().delete(held),
    };
  });
}

/**
 * Renews the expired reservation of an upload that hasn't received its first byte.
 *
 * @param bytes the size of the whole upload.
 * @throws {UploadError} 507 as `requireDiskSpace` does; the upload isn't removed.
 */
export function renewReservation(id: string, bytes: number, uploader?: string): Promise<void> {
  return oneAtATime(async () => {
    const file = path.join(resumableFolder(), id);
    if (!isExpired(await fs.stat(file))) return;
    await requireDiskSpace(bytes, uploader);
    const now = new Date();
    await fs.utimes(file, now, now);
  });
}

/**
 * Ensures that there is space for a file in addition to other reservations and the space that must stay free. Evicts
 * local copies of stored files if necessary. Call it inside `oneAtATime`, so that two uploads don't reserve the same
 * space.
 *
 * @param uploader the id of a user who may reserve only a quarter of the free space; undefined for anyone else.
 * @throws {UploadError} 507
 */
export async function requireDiskSpace(bytes: number, uploader?: string): Promise<void> {
  await fs.mkdir(temporaryFolder(), { recursive: true });
  let required = bytes;
  let own = bytes;
  for (const { id, reservedBytes } of await unfinishedUploads()) {
    required += reservedBytes;
    if (uploaderOf(id) === uploader) own += reservedBytes;
  }
  for (const held of reservations()) {
    required += held.bytes;
    if (held.uploader === uploader) own += held.bytes;
  }
  if (!(await makeSpace(required))) throw diskFull();
  if (uploader !== undefined && !(await makeSpace(own / MAX_UPLOADER_SHARE))) {
    const most = formatBytes(Math.max(0, (await availableBytes()) * MAX_UPLOADER_SHARE));
    throw new UploadError(
      507,
      `Your unfinished uploads can use at most a quarter of the free disk space (${most}). Finish or cancel another upload first, or upload a smaller file.`,
    );
  }
}

/** Whether the given amount of space is available, after evicting local copies if necessary. */
async function makeSpace(required: number): Promise<boolean> {
  const missing = required - (await availableBytes());
  if (missing <= 0) return true;
  if (!settings().storage) return false;
  // If the store doesn't respond, nothing is evicted.
  await evictCopies({ needed: missing }).catch(() => {});
  return required <= (await availableBytes());
}

async function availableBytes(): Promise<number> {
  const { bavail, blocks, bsize } = await fs.statfs(temporaryFolder());
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

const admissions = processState("upload admissions", createMutex);

/** Admits one upload at a time, so that two uploads can't reserve the same space. */
export function oneAtATime<T>(admission: () => Promise<T>): Promise<T> {
  return admissions()(admission);
}

/**
 * Returns the store for the metadata of resumable uploads, which is in `{id}.json` next to the upload. Files are
 * written atomically, so that a killed process doesn't leave a partial file.
 *
 * `creation_date` is set to the time of the last byte, because the tus packages use it to expire uploads, and an upload
 * that takes days must not expire before it is complete.
 */
export function uploadRecords(directory: string) {
  const file = (id: string) => path.join(directory, `${id}.json`);
  return {
    async get(id: string): Promise<Upload | undefined> {
      try {
        const upload = JSON.parse(await fs.readFile(file(id), "utf8")) as Upload;
        const bytes = await fs.stat(path.join(directory, id)).catch(() => undefined);
        return bytes ? ({ ...upload, creation_date: bytes.mtime.toISOString() } as Upload) : upload;
      } catch {
        return undefined;
      }
    },
    async set(id: string, upload: Upload): Promise<void> {
      const partial = `${file(id)}.partial`;
      await fs.writeFile(partial, JSON.stringify(upload));
      await fs.rename(partial, file(id));
    },
    async delete(id: string): Promise<void> {
      await removeTemporary(file(id));
    },
    async list(): Promise<string[]> {
      const names = await fs.readdir(directory);
      return names.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    },
  };
}
