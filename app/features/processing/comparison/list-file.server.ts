import { createReadStream } from "node:fs";
import * as z from "zod/mini";
import { createYielder } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import { BLOCK_REASONS } from "~db/schema/moderation";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { isBlockedFile } from "./blocked-videos.server";
import { VARIANTS } from "./frame-hashes";

/** The first line of a file. Every other line is an `Entry`. */
const HEADER = { format: "afterdark-block-list", version: 1 };
/** The maximum size of a list file. */
export const MAX_LIST_BYTES = 512 * 1024 ** 2;
const MAX_VIDEOS = 100_000;
/** The longest valid entry contains 29 KB of hexadecimal digits. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_FRAMES = 600;
const BATCH_SIZE = 50;
const FRAME_DIGITS = VARIANTS * 16;

/** The error thrown if a file isn't a valid list. The message says what is wrong with the file. */
export class ListFileError extends Error {}

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const entry = z.object({
  reason: z.enum(BLOCK_REASONS),
  blocked: z.iso.datetime(),
  /** The digests of the original file and of the playable version. */
  sha256: z.array(sha256).check(z.minLength(1), z.maxLength(16)),
  first: z.number().check(z.gte(0), z.lte(100_000)),
  step: z.number().check(z.gte(0), z.lte(100_000)),
  /** The hashes in hexadecimal, with VARIANTS × 16 digits per frame. Empty if only the digests are known. */
  frames: z.string().check(z.regex(/^(?:[0-9a-f]{2})*$/), z.maxLength(MAX_FRAMES * FRAME_DIGITS)),
});
type Entry = z.infer<typeof entry>;

/** Returns whether a file is a block list exported by this software, rather than a list of digests. */
export async function isBlockListFile(file: string): Promise<boolean> {
  for await (const line of linesOf(file)) if (line.trim() !== "") return line.startsWith("{");
  return false;
}

/**
 * Exports the list line by line. The export contains only hashes. It leaves out videos without a known digest, as well
 * as imported digest lists, which belong to their publishers.
 */
export async function* exportBlockList(): AsyncGenerator<string> {
  yield `${JSON.stringify(HEADER)}\n`;
  const yieldIfDue = createYielder();
  let after = 0;
  for (;;) {
    const row = prepared<Omit<Entry, "sha256"> & { id: number; sha256: string }>(
      `SELECT id, reason, blocked_at AS blocked, first, step, lower(hex(frames)) AS frames,
         (SELECT json_group_array(sha256) FROM blocked_files WHERE blocked_video_id = blocked_videos.id) AS sha256
       FROM blocked_videos WHERE id > ? AND removed_at IS NULL AND digests IS NULL ORDER BY id LIMIT 1`,
    ).get(after);
    if (!row) return;
    const { id, sha256: digests, ...video } = row;
    after = id;
    const list = JSON.parse(digests) as string[];
    if (list.length > 0) yield `${JSON.stringify({ ...video, sha256: list })}\n`;
    await yieldIfDue();
  }
}

/** The result of an import. */
export interface Imported {
  /** The number of videos that weren't on the list before. */
  added: number;
  known: number;
  /** The lowest id among the added videos. */
  from: number;
}

/**
 * Adds the videos in a file to the list. The file is read twice, so that nothing is added unless the whole file is
 * valid.
 *
 * @throws {ListFileError} if the file isn't a valid list or contains too many videos.
 */
export async function importBlockList(file: string): Promise<Imported> {
  const yieldIfDue = createWriteYielder();
  for await (const _ of entriesOf(file)) await yieldIfDue();
  const highest = prepared<number>("SELECT coalesce(max(id), 0) FROM blocked_videos").pluck();
  const imported = { added: 0, known: 0, from: highest.get()! + 1 };
  let batch: Entry[] = [];
  const add = async () => {
    const added = await transaction(() => batch.filter(addEntry).length);
    imported.added += added;
    imported.known += batch.length - added;
    batch = [];
    await yieldIfDue();
  };
  for await (const each of entriesOf(file)) {
    batch.push(each);
    if (batch.length === BATCH_SIZE) await add();
  }
  await add();
  return imported;
}

/** Adds an entry. Returns false if the list already contains one of its digests. */
function addEntry({ reason, blocked, sha256: digests, first, step, frames }: Entry): boolean {
  if (digests.some(isBlockedFile)) return false;
  const { lastInsertRowid } = prepared(
    `INSERT INTO blocked_videos (reason, blocked_at, state, first, step, frames)
     VALUES (@reason, @blocked, @state, @first, @step, @frames)`,
  ).run({
    ...{ reason, first, step },
    blocked: new Date(blocked).toISOString(),
    state: frames === "" ? "none" : "ready",
    frames: Buffer.from(frames, "hex"),
  });
  const add = prepared(
    "INSERT OR IGNORE INTO blocked_files (sha256, blocked_video_id) VALUES (?, ?)",
  );
  for (const digest of digests) add.run(digest, lastInsertRowid);
  return true;
}

async function* entriesOf(file: string): AsyncGenerator<Entry> {
  let at = 0;
  for await (const line of linesOf(file)) {
    at += 1;
    if (at === 1) requireHeader(line);
    else if (line !== "") yield entryOf(line, at);
    if (at > MAX_VIDEOS)
      throw new ListFileError(`The file has more than ${MAX_VIDEOS.toLocaleString("en")} videos.`);
  }
  if (at === 0) throw new ListFileError(NO_LIST);
}

const NO_LIST = "This file isn’t a block list exported by this version of the software.";

function requireHeader(line: string): void {
  const header = parse(line) as Partial<typeof HEADER> | undefined;
  if (header?.format !== HEADER.format || header.version !== HEADER.version)
    throw new ListFileError(NO_LIST);
}

function entryOf(line: string, at: number): Entry {
  const read = entry.safeParse(parse(line));
  const isWhole = read.success && read.data.frames.length % FRAME_DIGITS === 0;
  const hasStep = read.success && (read.data.frames === "" || read.data.step > 0);
  if (!read.success || !isWhole || !hasStep)
    throw new ListFileError(`Line ${at} is not a valid block list entry. Nothing was imported.`);
  return read.data;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file line by line. Throws as soon as a line is too long. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, {
    encoding: "latin1",
    highWaterMark: 64 * 1024,
  })) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield checkLength(line);
    checkLength(rest);
  }
  if (rest !== "") yield checkLength(rest);
}

function checkLength(line: string): string {
  if (line.length > MAX_LINE_BYTES) throw new ListFileError("A line in the file is too long.");
  return line.replace(/\r$/, "");
}
