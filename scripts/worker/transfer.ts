import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { LostLeaseError, type SiteClient } from "./site";

/** The size of one request, which is the most that has to be sent again after a lost connection. */
const PART_BYTES = 8 * 1024 ** 2;

/** Downloads a job's video, and resumes after an interruption. Returns the number of bytes. */
export async function fetchVideo(
  site: SiteClient,
  address: string,
  target: string,
  signal: AbortSignal,
): Promise<number> {
  const file = await open(target, "w");
  let written = 0;
  let version: string | null = null;
  try {
    for (;;) {
      const headers: Record<string, string> = written > 0 ? { Range: `bytes=${written}-` } : {};
      const response = await site.request(address, { headers, signal, expected: [404, 416] });
      if (response.status === 404) {
        await response.body?.cancel();
        throw new Error("The site doesn't have this video's file.");
      }
      const tag = response.headers.get("ETag");
      const isSame = version === null || tag === version;
      if (!isSame || response.status === 416 || (written > 0 && response.status === 200)) {
        await response.body?.cancel();
        await file.truncate(0);
        written = 0;
        version = null;
        continue;
      }
      version = tag;
      const whole = written + Number(response.headers.get("Content-Length"));
      try {
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          await file.write(chunk, 0, chunk.byteLength, written);
          written += chunk.byteLength;
        }
      } catch (error) {
        signal.throwIfAborted();
        if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw error;
      }
      if (written >= whole) return written;
    }
  } finally {
    await file.close();
  }
}

/**
 * Uploads one of a result's files, except for the part that the site already has.
 *
 * @returns the SHA-256 of the file.
 */
export async function sendFile(
  site: SiteClient,
  address: string,
  file: string,
  signal: AbortSignal,
): Promise<string> {
  const { size } = await stat(file);
  const handle = await open(file, "r");
  const part = new Uint8Array(PART_BYTES);
  try {
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await handle.read(part, 0, PART_BYTES, offset);
      const response = await site.request(address, {
        ...{ method: "PUT", signal, expected: [409] },
        headers: { "Upload-Offset": String(offset), "Content-Type": "application/octet-stream" },
        bytes: part.subarray(0, bytesRead),
      });
      if (response.status === 409) {
        const stored = response.headers.get("Upload-Offset");
        await response.body?.cancel();
        if (stored === null) {
          throw new LostLeaseError("The job no longer belongs to this worker.");
        }
        offset = Number(stored);
      } else offset = (await response.json<{ bytes: number }>()).bytes;
    }
  } finally {
    await handle.close();
  }
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
