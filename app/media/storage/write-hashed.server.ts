import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Writes a stream to a file. If writing fails, the error is thrown only after the file is closed, because otherwise
 * Node might create the file after the caller has removed it.
 *
 * @returns the SHA-256 of what was written, in hexadecimal, and its length in bytes.
 */
export async function writeHashed(
  source: Readable,
  target: string,
  options: { flags?: string } = {},
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = createWriteStream(target, options);
  const closed = new Promise<void>((resolve) => file.once("close", resolve));
  try {
    await pipeline(
      source,
      async function* (chunks) {
        for await (const chunk of chunks as AsyncIterable<Buffer>) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      file,
    );
  } catch (error) {
    await closed;
    throw error;
  }
  return { sha256: hash.digest("hex"), bytes };
}
