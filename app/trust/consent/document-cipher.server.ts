import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import fs from "node:fs/promises";
import { Transform } from "node:stream";
import { recordsSecrets } from "~/server/secret.server";
import { decrypt, encrypt } from "~/server/secret-box.server";

/**
 * Files as AES-256-GCM in chunks, each with a tag of its own, as in STREAM (Hoang, Reyhanitabar, Rogaway
 * and Vizár, 2015): the nonce is the number of the chunk and whether it is the last, so chunks that are
 * swapped, left out or taken from another file, and a file that was cut, are refused. Each file has a key
 * of its own, used once. No more than a chunk is in memory.
 */

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const PURPOSE = "document key";

/** A file that is not what was encrypted, or not with this key. */
export class DamagedDocumentError extends Error {}

export function newDocumentKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** The key as the database has it, readable only with the secret of the records. */
export function wrapKey(key: Buffer): string {
  return encrypt(PURPOSE, key.toString("base64"), recordsSecrets());
}

/** The key again; undefined when no secret that is known encrypted it. */
export function unwrapKey(wrapped: string): Buffer | undefined {
  const text = decrypt(PURPOSE, wrapped, recordsSecrets());
  return text === undefined ? undefined : Buffer.from(text, "base64");
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 7);
  nonce[11] = Number(isLast);
  return nonce;
}

/**
 * Encrypts what it is given.
 *
 * @param id of the document: a file under the name of another is refused.
 * @param admit sees each piece before it is encrypted; refuses the file by throwing.
 */
export function encryptingStream(
  key: Buffer,
  id: string,
  admit: (piece: Buffer) => void | Promise<void>,
): Transform {
  const name = Buffer.from(id);
  let number = 0;
  let held = Buffer.alloc(0);
  const seal = (chunk: Buffer, isLast: boolean) => {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number, isLast));
    number += 1;
    cipher.setAAD(name);
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  };
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      Promise.resolve()
        .then(() => admit(piece))
        .then(() => {
          held = Buffer.concat([held, piece]);
          // The last chunk is known by the end alone, so a whole one waits.
          while (held.length > CHUNK_BYTES) {
            this.push(seal(held.subarray(0, CHUNK_BYTES), false));
            held = held.subarray(CHUNK_BYTES);
          }
          done();
        })
        .catch(done);
    },
    flush(done) {
      done(null, seal(held, true));
    },
  });
}

/**
 * The content of an encrypted file, chunk by chunk. Each chunk is what was encrypted, or is not given.
 *
 * @throws {DamagedDocumentError}
 */
export async function* decryptedFile(
  file: string,
  key: Buffer,
  id: string,
): AsyncGenerator<Buffer> {
  const { size } = await fs.stat(file);
  const whole = CHUNK_BYTES + TAG_BYTES;
  const chunks = Math.max(1, Math.ceil(size / whole));
  let number = 0;
  for await (const sealed of piecesOf(file, whole)) {
    yield open(sealed, key, id, number, number === chunks - 1);
    number += 1;
  }
  if (number !== chunks) throw new DamagedDocumentError("The file has ended too early.");
}

async function* piecesOf(file: string, bytes: number): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const read of createReadStream(file, { highWaterMark: bytes })) {
    held = Buffer.concat([held, read as Buffer]);
    while (held.length >= bytes) {
      yield held.subarray(0, bytes);
      held = held.subarray(bytes);
    }
  }
  if (held.length > 0) yield held;
}

function open(sealed: Buffer, key: Buffer, id: string, number: number, isLast: boolean): Buffer {
  if (sealed.length < TAG_BYTES) throw new DamagedDocumentError("The file has ended too early.");
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast));
  decipher.setAAD(Buffer.from(id));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const body = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    return Buffer.concat([body, decipher.final()]);
  } catch {
    throw new DamagedDocumentError("The file is not what was encrypted.");
  }
}

/** The bytes of an encrypted file whose content has so many. */
export function encryptedBytes(bytes: number): number {
  return bytes + TAG_BYTES * Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
}
