import type { Upload } from "@tus/server";
import { settings } from "~/server/settings.server";
import { processState } from "~db/runtime.server";
import type { DirectParts, ObjectStore } from "../storage/object-store";
import { noteRemoval } from "../storage/remove.server";
import { partsOf, withParts } from "../storage/sent-parts.server";
import { objectStore } from "../storage/store.server";
import { arrivingUpload, fillUpload, saveUpload } from "./tus.server";
import { UploadError } from "./upload-error.server";

/**
 * Uploads whose bytes a browser puts straight into the store, in parts. Such an upload begins over tus,
 * under the same limits as any other, and ends as one: once all parts are there the site reads them from
 * the store, looks at what they are, and from then on has a file that has arrived.
 */

/** Parts are numbered up to 10,000, and a store takes none below 5 MiB but the last. */
const PART_BYTES = 16 * 1024 * 1024;
const MOST_PARTS = 9_000;
/** To begin to send a part; how long that takes is the line's matter. */
const ADDRESS_SECONDS = 60;

export interface PartsState {
  /** Of each part but the last. */
  partBytes: number;
  /** The numbers of those that are there, from 1 on. */
  sent: number[];
}

/** Whether browsers are to send uploads so: to a store that they are sent to for films as well. */
export function takesParts(): boolean {
  const { storage } = settings();
  return storage?.redirects === true && storage.address.kind === "s3";
}

/**
 * Begins to send an upload in parts, or says how far that is.
 *
 * @throws {UploadError} 404 when the user has none of that name, 409 when the site takes no parts.
 * @throws {StorageError}
 */
export async function beginParts(userId: string, id: string): Promise<PartsState> {
  const record = await arrivingUpload(userId, id);
  const { store, parts } = await partsStore();
  const bytes = sizeOf(record);
  const partBytes = partBytesOf(bytes);
  const whole = { partBytes, sent: numbersOf(bytes) };
  // Received before, and perhaps not published yet.
  if (record.metadata?.sha256) return whole;
  const known = partsOf(record);
  if (known) {
    const sent = await parts.sent(known.key, known.upload);
    if (sent) return { partBytes, sent: sent.map(({ number }) => number) };
    if ((await store.head(known.key))?.bytes === bytes) return whole;
  }
  const key = `incoming/${id}`;
  const upload = await parts.begin(key);
  await saveUpload(withParts(record, { key, upload }));
  return { partBytes, sent: [] };
}

/**
 * Where one part is to be put, by an address that takes exactly its bytes.
 *
 * @throws {UploadError} 404, 409 as above, and 400 for a number that it has not.
 */
export async function partAddress(userId: string, id: string, number: number): Promise<string> {
  const record = await arrivingUpload(userId, id);
  const { parts } = await partsStore();
  const at = partsOf(record);
  if (!at) throw new UploadError(409, "This upload is not sent in parts.");
  const bytes = bytesOfPart(sizeOf(record), number);
  if (bytes === undefined) throw new UploadError(400, "This upload has no such part.");
  return parts.address({ ...at, number, bytes }, ADDRESS_SECONDS);
}

const receiving = processState("uploads received in parts", () => new Map<string, Promise<void>>());

/**
 * Makes an upload of its parts, that has arrived: its bytes are read from the store and are removed there.
 * Who asks again, because the answer was lost, waits for the same.
 *
 * @throws {UploadError} 404, 409 as above or while parts are missing, and what any other upload is refused
 *   with once its bytes are seen.
 * @throws {StorageError} when they can't be read; they stay for another try.
 */
export function receiveParts(userId: string, id: string): Promise<void> {
  const key = `${userId} ${id}`;
  const receives =
    receiving().get(key) ?? receive(userId, id).finally(() => void receiving().delete(key));
  receiving().set(key, receives);
  return receives;
}

async function receive(userId: string, id: string): Promise<void> {
  const record = await arrivingUpload(userId, id);
  const at = partsOf(record);
  if (record.metadata?.sha256) {
    // Killed before it was noted.
    if (at) await noteRemoval(at.key);
    return;
  }
  const { store, parts } = await partsStore();
  if (!at) throw new UploadError(409, "This upload is not sent in parts.");
  const bytes = sizeOf(record);
  const sent = await parts.sent(at.key, at.upload);
  if (sent) {
    const wanted = numbersOf(bytes).map((number) => `${number} ${bytesOfPart(bytes, number)}`);
    const there = sent.map((part) => `${part.number} ${part.bytes}`);
    if (there.join() !== wanted.join())
      throw new UploadError(409, "This upload has not arrived completely.");
    await parts.finish(at.key, at.upload, sent);
  }
  if ((await store.head(at.key))?.bytes !== bytes)
    throw new UploadError(409, "This upload has not arrived completely.");
  await fillUpload(record, await store.get(at.key));
  await noteRemoval(at.key);
}

async function partsStore(): Promise<{ store: ObjectStore; parts: DirectParts }> {
  const store = takesParts() ? await objectStore() : undefined;
  if (!store?.parts) throw new UploadError(409, "This site takes uploads in one piece.");
  return { store, parts: store.parts };
}

function sizeOf({ size }: Pick<Upload, "size">): number {
  if (!size) throw new UploadError(409, "The length of this upload is not known.");
  return size;
}

function partBytesOf(bytes: number): number {
  return Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS));
}

function numbersOf(bytes: number): number[] {
  return Array.from({ length: Math.ceil(bytes / partBytesOf(bytes)) }, (_, index) => index + 1);
}

/** Undefined of a number that an upload of so many bytes has not. */
function bytesOfPart(bytes: number, number: number): number | undefined {
  const partBytes = partBytesOf(bytes);
  const start = (number - 1) * partBytes;
  if (!Number.isInteger(number) || number < 1 || start >= bytes) return undefined;
  return Math.min(partBytes, bytes - start);
}
