import { randomUUID } from "node:crypto";
import fs, { createReadStream } from "node:fs";
import path from "node:path";
import { Duplex, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { fileTypeFromBuffer } from "file-type";
import { localFile } from "~/media/files/local-copies.server";
import { enqueueRemovals, removeSoon, removeUnreferenced } from "~/media/files/removals.server";
import { storedFile } from "~/media/files/stored-files.server";
import { type FileRule, HEAD_BYTES, type ReceivedFile } from "~/media/intake/received-file.server";
import { toUploadError, UploadError } from "~/media/intake/upload-error.server";
import { isTemporaryFailure } from "~/media/storage/object-store";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { recordsSecrets } from "~/platform/secret.server";
import { settings } from "~/platform/settings.server";
import { moveFlushed } from "~/shared/move-files.server";
import { prepared, transaction } from "~db/client.server";
import { createFolder } from "~db/folders.server";
import type { PerformerDocumentRow } from "~db/schema/moderation";
import type { DocumentKind } from "./consent";
import { updateConsentHolds } from "./validity.server";

const MAX_DOCUMENT_BYTES = 20 * 1024 ** 2;
/** The maximum number of bytes that encryption adds to a document: the header, and a tag for each 64 KiB. */
const MAX_OVERHEAD_BYTES = 64 * 1024;
const MAX_DOCUMENTS = 50;
const EXTENSIONS = { "application/pdf": "pdf", "image/jpeg": "jpg", "image/png": "png" } as const;
type DocumentType = PerformerDocumentRow["type"];

const TOO_LARGE = "A document can be at most 20 MB.";
const WRONG_TYPE = "A document must be a PDF, JPEG or PNG file.";

/** Returns `UPLOADS_DIR/documents`. The folder isn't a bucket, so its files aren't served at any URL. */
function documentsFolder(): string {
  return path.join(settings().uploadsDir, "documents");
}

export function documentFile(id: string): string {
  return path.join(documentsFolder(), id);
}

type DocumentReceiver = ReturnType<typeof documentReceiver>;

/**
 * Returns the rule for receiving a document. The document is encrypted before any of it is written to the disk.
 * `content()` can be called once the whole document has arrived.
 */
export function documentReceiver() {
  const id = randomUUID();
  const key = generateX25519Identity();
  let head = Buffer.alloc(0);
  let bytes = 0;
  let type: DocumentType | undefined;
  const admit = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_DOCUMENT_BYTES) throw new UploadError(413, TOO_LARGE, "document");
    if (type) return;
    head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
    type = await typeOf(head);
    if (!type && head.length >= HEAD_BYTES) throw new UploadError(415, WRONG_TYPE, "document");
  };
  return {
    id,
    // This limit applies to the encrypted file, which is slightly larger than the document.
    rule: <FileRule>{
      maxBytes: MAX_DOCUMENT_BYTES + MAX_OVERHEAD_BYTES,
      tooLarge: TOO_LARGE,
      checkHead: async () => {},
      through: () => encryptingStream(key, admit),
    },
    content() {
      if (!type) throw new UploadError(415, WRONG_TYPE, "document");
      return { key, bytes, type };
    },
  };
}

async function typeOf(head: Buffer): Promise<DocumentType | undefined> {
  const type = (await fileTypeFromBuffer(head))?.mime;
  return type && Object.hasOwn(EXTENSIONS, type) ? (type as DocumentType) : undefined;
}

/**
 * Stores a document that has been received. The file is written before its row, so that a row never lacks its file. If
 * the process is killed in between, `npm run check-library` finds the file without a row.
 *
 * @returns false if the performer no longer exists.
 * @throws {UploadError} 415, 422, 507
 */
export async function storeDocument(
  { performerId, kind, userId }: { performerId: string; kind: DocumentKind; userId: string },
  arriving: DocumentReceiver,
  received: ReceivedFile,
  now = Date.now(),
): Promise<boolean> {
  const { id } = arriving;
  const { key, bytes, type } = arriving.content();
  const fileKey = wrapKey(await key);
  createFolder(documentsFolder());
  try {
    await moveFlushed(received.path, documentFile(id));
    return await transaction(() => {
      if (!prepared("SELECT 1 FROM performers WHERE id = ?").get(performerId)) {
        enqueueRemovals([mediaNameOf(id)], { reason: "discarded" });
        return false;
      }
      const count = prepared<number>(
        "SELECT count(*) FROM performer_documents WHERE performer_id = ?",
      );
      if (count.pluck().get(performerId)! >= MAX_DOCUMENTS) {
        const message = `A performer can have at most ${MAX_DOCUMENTS} documents.`;
        throw new UploadError(422, message, "document");
      }
      prepared(
        `INSERT INTO performer_documents
           (id, performer_id, kind, type, bytes, file_key, added_at, added_by)
         VALUES (@id, @performerId, @kind, @type, @bytes, @fileKey, @addedAt, @userId)`,
      ).run({
        ...{ id, performerId, kind, type, bytes, userId },
        fileKey,
        addedAt: new Date(now).toISOString(),
      });
      logAccess("document-add", { id, performerId, userId }, now);
      updateConsentHolds(videosWithPerformer(performerId), now);
      return true;
    });
  } catch (error) {
    await removeUnreferenced([mediaNameOf(id)], "discarded");
    throw toUploadError(error);
  }
}

function logAccess(
  action: "document-add" | "document-open" | "document-remove",
  { id, performerId, userId }: { id: string; performerId: string; userId: string },
  now: number,
): void {
  appendToLog({ action, userId, detail: { document: id, performer: performerId } }, now);
}

/**
 * Decrypts a document and logs the access. The whole document is read first, so that no part of a damaged one is ever
 * sent.
 *
 * @returns the content with its type and file name, or the reason why it can't be read.
 */
export async function openDocument(
  { id, performerId, userId }: { id: string; performerId: string; userId: string },
  now = Date.now(),
): Promise<
  { content: Buffer; type: DocumentType; fileName: string } | "gone" | "locked" | "damaged" | "away"
> {
  const row = prepared<PerformerDocumentRow>(
    "SELECT * FROM performer_documents WHERE id = ? AND performer_id = ?",
  ).get(id, performerId);
  if (!row) return "gone";
  const key = unwrapKey(row.file_key);
  if (!key) return "locked";
  const file = documentFile(id);
  let content: Buffer;
  try {
    await localFile(file);
    content = await buffer(decryptedFile(file, key));
    if (content.length !== row.bytes) return "damaged";
  } catch (error) {
    if (isTemporaryFailure(error)) return "away";
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!isMissing && !(error instanceof DamagedDocumentError)) {
      console.error(`Could not read the document ${id}: ${(error as Error).message}`);
    }
    return "damaged";
  }
  await transaction(() => logAccess("document-open", { id, performerId, userId }, now));
  return {
    content,
    type: row.type,
    fileName: `document-${id.slice(0, 8)}.${EXTENSIONS[row.type]}`,
  };
}

/**
 * Deletes a document: first its row with the key, then its file.
 *
 * @returns the number of videos that were hidden because they need the document; undefined if the document doesn't
 *   exist.
 */
export async function removeDocument(
  { id, performerId, userId }: { id: string; performerId: string; userId: string },
  now = Date.now(),
): Promise<number | undefined> {
  const hidden = await transaction(() => {
    const { changes } = prepared(
      "DELETE FROM performer_documents WHERE id = ? AND performer_id = ?",
    ).run(id, performerId);
    if (changes === 0) return undefined;
    enqueueDocumentRemovals([id]);
    logAccess("document-remove", { id, performerId, userId }, now);
    return updateConsentHolds(videosWithPerformer(performerId), now);
  });
  removeSoon();
  return hidden;
}

/** Returns the ids of the videos whose consent record lists a performer. */
export function videosWithPerformer(performerId: string): string[] {
  return prepared<string>("SELECT video_id FROM video_performers WHERE performer_id = ?")
    .pluck()
    .all(performerId);
}

/** Enqueues the removal of documents' files in the transaction that deletes their rows. */
export function enqueueDocumentRemovals(ids: readonly string[]): void {
  enqueueRemovals(ids.map(mediaNameOf), { reason: "deleted", isOrdered: true });
}

const mediaNameOf = (id: string) => ({ bucket: "documents", path: id }) as const;

/** Returns the files without a row (`stray`) and the rows without a file (`missing`). */
export function checkDocuments(): { stray: string[]; missing: string[] } {
  const names = fs.existsSync(documentsFolder()) ? fs.readdirSync(documentsFolder()) : [];
  const files = new Set(names.filter((name) => !name.startsWith(".")));
  const rows = new Set(prepared<string>("SELECT id FROM performer_documents").pluck().all());
  return {
    stray: [...files].filter((name) => !rows.has(name)),
    missing: [...rows].filter((id) => !files.has(id) && !storedFile(mediaNameOf(id))),
  };
}

/**
 * Documents are stored in the age format (https://age-encryption.org/v1). Each has its own key (an age identity), so
 * that swapping two files makes them unreadable, and deleting a row deletes the key.
 */

const PURPOSE = "document key";

/** Thrown if a file was changed after encryption or was encrypted with a different key. */
export class DamagedDocumentError extends Error {}

/** Encrypts a key with the records secret, so that it can be stored in the database. */
export function wrapKey(key: string): string {
  return encrypt(PURPOSE, key, recordsSecrets());
}

/** Decrypts a key; undefined if it wasn't encrypted with any of the known secrets. */
export function unwrapKey(wrapped: string): string | undefined {
  return decrypt(PURPOSE, wrapped, recordsSecrets());
}

/**
 * Returns a stream that encrypts everything written to it.
 *
 * @param admit called with each chunk before it is encrypted. It rejects the file by throwing an error.
 */
export function encryptingStream(
  key: Promise<string>,
  admit: (chunk: Buffer) => void | Promise<void>,
): Duplex {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  // Both promises are rejected when the stream is destroyed. The stream itself reports the error.
  for (const promise of [writer.closed, writer.ready]) promise.catch(() => {});
  const opening = encrypted(key, readable);
  opening.catch(() => {});
  return new Duplex({
    write(chunk: Buffer, _encoding, done) {
      Promise.resolve()
        .then(() => admit(chunk))
        .then(() => writer.write(new Uint8Array(chunk)))
        .then(() => done(), done);
    },
    final(done) {
      writer.close().then(() => done(), done);
    },
    read() {
      opening
        .then((reader) => reader.read())
        .then(
          ({ value, done }) => this.push(done ? null : value),
          (error) => this.destroy(error),
        );
    },
    destroy(error, done) {
      writer.abort(error).catch(() => {});
      done(error);
    },
  });
}

async function encrypted(key: Promise<string>, content: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(await key));
  return (await encrypter.encrypt(content)).getReader();
}

/**
 * Decrypts a file chunk by chunk. Each chunk is authenticated before it is returned.
 *
 * @throws {DamagedDocumentError}
 */
export async function* decryptedFile(file: string, key: string): AsyncGenerator<Buffer> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  try {
    // Here, web streams have the browser's types, which differ from Node's.
    const content = Readable.toWeb(createReadStream(file)) as unknown as ReadableStream<
      Uint8Array<ArrayBuffer>
    >;
    const chunks = await decrypter.decrypt(content);
    for await (const chunk of chunks as unknown as AsyncIterable<Uint8Array>) {
      yield Buffer.from(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code) throw error;
    throw new DamagedDocumentError("The file was changed after encryption.", { cause: error });
  }
}
