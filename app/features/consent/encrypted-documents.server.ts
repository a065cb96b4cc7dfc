import { createReadStream } from "node:fs";
import { Duplex, Readable } from "node:stream";
import { Decrypter, Encrypter, identityToRecipient } from "age-encryption";
import { recordsSecrets } from "~/platform/secret.server";
import { decrypt, encrypt } from "~/platform/secret-box.server";

/**
 * Documents as files in the age format (https://age-encryption.org/v1). Each has a key of its own, an age
 * identity, so that a file under the name of another can't be read, and the key goes with the row.
 */

const PURPOSE = "document key";

/** A file that is not what was encrypted, or not with this key. */
export class DamagedDocumentError extends Error {}

/** The key as the database has it, readable only with the secret of the records. */
export function wrapKey(key: string): string {
  return encrypt(PURPOSE, key, recordsSecrets());
}

/** The key again; undefined when no secret that is known encrypted it. */
export function unwrapKey(wrapped: string): string | undefined {
  return decrypt(PURPOSE, wrapped, recordsSecrets());
}

/**
 * Encrypts what it is given.
 *
 * @param admit sees each piece before it is encrypted; refuses the file by throwing.
 */
export function encryptingStream(
  key: Promise<string>,
  admit: (piece: Buffer) => void | Promise<void>,
): Duplex {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  // Both fail when the stream is destroyed, which tells why.
  for (const promise of [writer.closed, writer.ready]) promise.catch(() => {});
  const opening = encrypted(key, readable);
  opening.catch(() => {});
  return new Duplex({
    write(piece: Buffer, _encoding, done) {
      Promise.resolve()
        .then(() => admit(piece))
        .then(() => writer.write(new Uint8Array(piece)))
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
 * The content of an encrypted file, chunk by chunk. Each chunk is what was encrypted, or is not given.
 *
 * @throws {DamagedDocumentError}
 */
export async function* decryptedFile(file: string, key: string): AsyncGenerator<Buffer> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  try {
    // The types of web streams are the browser's, which differ from Node's.
    const content = Readable.toWeb(createReadStream(file)) as unknown as ReadableStream<
      Uint8Array<ArrayBuffer>
    >;
    const chunks = await decrypter.decrypt(content);
    for await (const chunk of chunks as unknown as AsyncIterable<Uint8Array>) {
      yield Buffer.from(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code) throw error;
    throw new DamagedDocumentError("The file is not what was encrypted.", { cause: error });
  }
}
