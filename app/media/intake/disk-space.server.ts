import fs from "node:fs/promises";
import path from "node:path";
import type { Upload } from "@tus/server";
import { settings } from "~/server/settings.server";
import { takingTurns } from "~/shared/event-loop";
import { processState } from "~db/runtime.server";
import { evictCopies } from "../files/local-copies.server";
import { temporaryFolder } from "../files/temporary-files.server";
import { uploadRecords } from "./tus-records.server";
import { diskFull } from "./upload-error.server";

/**
 * The free space that uploads are admitted to. What an upload has announced and not sent yet counts
 * as used: otherwise many uploads, each of which fits by itself, fill the disk together.
 */

/** What must stay free: the database, its log and the conversions need room too. */
const RESERVE_BYTES = 512 * 1024 * 1024;
const RESERVE_SHARE = 0.05;

/** `uploads/tmp/tus`: uploads that may still be gone on with. */
export function resumableFolder(): string {
  return path.join(temporaryFolder(), "tus");
}

export interface UnfinishedUpload {
  id: string;
  /** What may still come: of an upload of unknown length everything up to the limit. */
  bytesLeft: number;
}

/** The resumable uploads that have not arrived whole, as the disk knows them. */
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
      return record && stat ? [{ id, bytesLeft: bytesLeft(record, stat.size) }] : [];
    }),
  );
  return found.flat().filter((upload) => upload.bytesLeft > 0);
}

function bytesLeft({ size }: Pick<Upload, "size">, arrived: number): number {
  return Math.max(0, (size ?? settings().maxVideoBytes) - arrived);
}

/** Room that a form was promised; it shrinks as the bytes of its files are written. */
export interface Reservation {
  written(bytes: number): void;
  release(): void;
}

const reservations = processState("disk space reservations", () => new Set<{ bytes: number }>());

/**
 * Holds room for the files of a form until it is released.
 *
 * @throws {UploadError} 507 when they do not fit beside what others were promised and the reserve.
 */
export function reserveDiskSpace(bytes: number): Promise<Reservation> {
  return oneAtATime(async () => {
    await requireDiskSpace(bytes);
    const held = { bytes };
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
 * Requires free space for a file, besides other reservations and the reserve. Evicts local copies of stored files if
 * necessary. Call it inside `oneAtATime`, so that two uploads don't get the same space.
 *
 * @throws {UploadError} 507
 */
export async function requireDiskSpace(bytes: number): Promise<void> {
  await fs.mkdir(temporaryFolder(), { recursive: true });
  let required = bytes;
  for (const upload of await unfinishedUploads()) required += upload.bytesLeft;
  for (const held of reservations()) required += held.bytes;
  const missing = await missingBytes(required);
  if (missing <= 0) return;
  // If the store doesn't respond, nothing is evicted and the check below fails.
  if (settings().storage) await evictCopies({ needed: missing }).catch(() => {});
  if ((await missingBytes(required)) > 0) throw diskFull();
}

async function missingBytes(required: number): Promise<number> {
  const { bavail, blocks, bsize } = await fs.statfs(temporaryFolder());
  return required + Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE) - bavail * bsize;
}

const admissions = processState("upload admissions", takingTurns);

/** Admits one upload after the other, so that two are not promised the same room. */
export function oneAtATime<T>(admission: () => Promise<T>): Promise<T> {
  return admissions()(admission);
}
