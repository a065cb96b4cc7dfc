import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LRUCache } from "lru-cache";
import { exemptFromMiddleware } from "~/platform/node/request-context.server";
import { type ByteRange, parseByteRange } from "~/shared/byte-range";
import { StorageError } from "./object-store";
import { objectStore } from "./store.server";

/**
 * Lets ffmpeg read stored files with range requests if the disk has no space for a copy. ffmpeg reads them over HTTP
 * from this process, at a secret URL on the loopback interface. To ffmpeg, a store failure looks like the end of the
 * file, so `withRangedInput` throws the failure even if ffmpeg exits successfully.
 */

/**
 * The size of the blocks that are fetched and cached. Several blocks are cached, because ffmpeg alternates between
 * audio and video that are far apart in the file.
 */
const BLOCK_BYTES = 512 * 1024;
const MAX_CACHED_BLOCKS = 24;
const MAX_ATTEMPTS = 2;

interface RangedInput {
  blocks: ObjectBlocks;
  url: string;
}

/** The files that the current async context reads with range requests, by the path of their missing local copy. */
const inputs = new AsyncLocalStorage<ReadonlyMap<string, RangedInput>>();
const inputOf = (file: string) => inputs.getStore()?.get(path.resolve(file));

/**
 * While `work` is running, makes `inputArguments`, `openInput` and `inputSize` read a stored file with range requests.
 *
 * @param file the path of the local copy, which is missing.
 * @throws {StorageError} if the store failed in the meantime, even if `work` succeeded.
 */
export async function withRangedInput<T>(
  file: string,
  { object, bytes }: { object: string; bytes: number },
  work: () => Promise<T>,
): Promise<T> {
  const blocks = new ObjectBlocks(object, bytes);
  const server = createServer();
  try {
    const url = await listen(server, blocks);
    const outer = inputs.getStore() ?? [];
    const all = new Map([...outer, [path.resolve(file), { blocks, url }]]);
    const result = await inputs.run(all, work);
    if (blocks.failure) throw blocks.failure;
    return result;
  } catch (error) {
    throw blocks.failure ?? error;
  } finally {
    blocks.close();
    server.close();
    server.closeAllConnections();
  }
}

/** Returns the URL from which ffmpeg reads a file, if the file is read with range requests. */
export function inputUrl(file: string): string | undefined {
  return inputOf(file)?.url;
}

/** Whether an ffmpeg argument is the URL of a file that is read with range requests. */
export function isInputUrl(argument: string): boolean {
  return [...(inputs.getStore()?.values() ?? [])].some(({ url }) => url === argument);
}

/** A file that is open for reading, either on the disk or with range requests. */
export interface InputFile {
  size: number;
  read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

export async function openInput(file: string): Promise<InputFile> {
  const blocks = inputOf(file)?.blocks;
  if (!blocks) {
    const handle = await open(file);
    const { size } = await handle.stat();
    return { size, read: handle.read.bind(handle), close: () => handle.close() };
  }
  return {
    size: blocks.size,
    read: async (target, offset, length, position) => {
      let bytesRead = 0;
      for await (const chunk of blocks.read(position, position + length)) {
        bytesRead += chunk.copy(target, offset + bytesRead);
      }
      return { bytesRead };
    },
    close: async () => {},
  };
}

/** Returns the size in bytes of a file on the disk or a file that is read with range requests. */
export async function inputSize(file: string): Promise<number> {
  return inputOf(file)?.blocks.size ?? (await stat(file)).size;
}

/** Starts the server, and returns its URL, which can't be guessed. */
async function listen(server: Server, blocks: ObjectBlocks): Promise<string> {
  exemptFromMiddleware(server);
  const secret = `/${randomBytes(16).toString("hex")}`;
  server.on("request", (request, response) => {
    if (request.url === secret) void answer(blocks, request, response);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`;
}

async function answer(
  blocks: ObjectBlocks,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { size } = blocks;
  const range = parseByteRange(headers.range ?? null, size);
  if (range === "unsatisfiable") {
    response.writeHead(416, { "Content-Range": `bytes */${size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range ? 206 : 200, {
    "Accept-Ranges": "bytes",
    "Content-Length": end - start + 1,
    ...(range && { "Content-Range": `bytes ${start}-${end}/${size}` }),
  });
  // Ignore the error: ffmpeg aborts most requests early, and `blocks` records store failures.
  const body = Readable.from(blocks.read(start, end + 1), { highWaterMark: 1 });
  await pipeline(body, response).catch(() => {});
}

/** Reads an object in blocks with one block of read-ahead, and caches the most recently used ones. */
class ObjectBlocks {
  /** The store's first failure. All later reads fail too, so that the file can't look shorter than it is. */
  failure: StorageError | undefined;
  private readonly blocks = new LRUCache<number, Promise<Buffer[]>>({ max: MAX_CACHED_BLOCKS });
  private readonly closed = new AbortController();

  constructor(
    private readonly object: string,
    readonly size: number,
  ) {}

  /** Yields the bytes from one position up to another, or to the end of the object. */
  async *read(from: number, to: number): AsyncGenerator<Buffer> {
    const end = Math.min(to, this.size);
    const first = Math.floor(from / BLOCK_BYTES);
    for (let index = first; index * BLOCK_BYTES < end; index += 1) {
      const block = this.block(index);
      let start = index * BLOCK_BYTES;
      // Don't read ahead after the first block, because ffmpeg aborts many requests after a few bytes.
      if (index > first && end > start + BLOCK_BYTES) this.block(index + 1).catch(() => {});
      for (const chunk of await block) {
        const wanted = chunk.subarray(Math.max(from - start, 0), Math.max(end - start, 0));
        start += chunk.length;
        if (wanted.length > 0) yield wanted;
      }
    }
  }

  close(): void {
    this.closed.abort();
    this.blocks.clear();
  }

  private block(index: number): Promise<Buffer[]> {
    const known = this.blocks.get(index);
    if (known) return known;
    const block = this.fetch(index);
    this.blocks.set(index, block);
    return block;
  }

  private async fetch(index: number): Promise<Buffer[]> {
    const start = index * BLOCK_BYTES;
    const range = { start, end: Math.min(start + BLOCK_BYTES, this.size) - 1 };
    for (let attempt = 1; ; attempt += 1) {
      if (this.failure) throw this.failure;
      try {
        return await readRange(this.object, range, this.closed.signal);
      } catch (error) {
        this.closed.signal.throwIfAborted();
        const failure =
          error instanceof StorageError
            ? error
            : new StorageError("away", (error as Error).message);
        if (attempt < MAX_ATTEMPTS && failure.failure !== "missing") continue;
        this.failure ??= failure;
        throw failure;
      }
    }
  }
}

async function readRange(object: string, range: ByteRange, signal: AbortSignal): Promise<Buffer[]> {
  const expected = range.end - range.start + 1;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const store = await objectStore();
  for await (const chunk of await store.get(object, range, signal)) {
    chunks.push(chunk);
    bytes += chunk.length;
    // A store that ignores ranges would send the whole object.
    if (bytes > expected) break;
  }
  if (bytes !== expected) throw new StorageError("damaged", object);
  return chunks;
}
