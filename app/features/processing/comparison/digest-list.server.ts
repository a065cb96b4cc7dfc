import { createYielder } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import type { BlockReason } from "~db/schema/moderation";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { isBlockedFile, isBlockedMd5 } from "./blocked-videos.server";
import { ListFileError, linesOf } from "./list-file.server";

/**
 * Imports lists of MD5 and SHA-256 digests from other organizations: one digest per line, the output of `sha256sum` or
 * `md5sum`, or CSV. Each imported list becomes a single entry on the block list.
 */

const MAX_DIGESTS = 2_000_000;
/** The number of digests per transaction. Each transaction takes a few milliseconds. */
const BATCH_SIZE = 100;
const MAX_LISTED_LINES = 10;

/**
 * Doesn't match parts of longer words, parts of paths, or file names with an extension, because file names may look
 * like digests.
 */
const DIGESTS = /(?<![\w./])(?:[0-9a-f]{32}|[0-9a-f]{64})(?![\w.])/gi;
const COMMENT = /^(?:#|;|\/\/|$)/;
/** Matches a CSV header in the first line. */
const HEADER = /hash|digest|md5|sha-?256/i;

/** The result of an import. */
export interface ImportedDigests {
  /** The number of digests that weren't on the list before. */
  added: number;
  /** The number of digests that were already on the list or that occur more than once in the file. */
  known: number;
}

/**
 * Adds a file's digests to the block list as one entry. The file is read twice, so that nothing is added if a line is
 * invalid. If the process is killed, the entry contains the digests up to that point, and importing the file again adds
 * the rest.
 *
 * @param name the file's name, which becomes the entry's title.
 * @throws {ListFileError} if the file contains no digests, invalid lines, or too many digests.
 */
export async function importDigestList(
  file: string,
  { name, reason }: { name: string; reason: BlockReason },
): Promise<ImportedDigests> {
  await checkDigestList(file);
  const yieldIfDue = createWriteYielder();
  const imported: ImportedDigests = { added: 0, known: 0 };
  let entry: number | undefined;
  let batch: string[] = [];
  const add = async () => {
    const added = await transaction(() => {
      const unknown = batch.filter((digest) => !isKnown(digest));
      if (unknown.length === 0) return 0;
      entry = addTo(entry ?? addEntry(name, reason), new Set(unknown));
      return new Set(unknown).size;
    });
    imported.added += added;
    imported.known += batch.length - added;
    batch = [];
    await yieldIfDue();
  };
  const digestsIn = lineReader();
  for await (const line of linesOf(file)) {
    for (const digest of digestsIn(line) ?? []) batch.push(digest);
    if (batch.length >= BATCH_SIZE) await add();
  }
  await add();
  return imported;
}

/** @throws {ListFileError} */
async function checkDigestList(file: string): Promise<void> {
  const yieldIfDue = createYielder();
  const digestsIn = lineReader();
  const bad: number[] = [];
  let badLines = 0;
  let digests = 0;
  let at = 0;
  for await (const line of linesOf(file)) {
    at += 1;
    const found = digestsIn(line);
    digests += found?.length ?? 0;
    if (!found && badLines++ < MAX_LISTED_LINES) bad.push(at);
    if (digests > MAX_DIGESTS)
      throw new ListFileError(
        `The file has more than ${MAX_DIGESTS.toLocaleString("en")} digests.`,
      );
    await yieldIfDue();
  }
  if (badLines > 0) throw new ListFileError(badLinesMessage(bad, badLines));
  if (digests === 0) throw new ListFileError("The file has no MD5 or SHA-256 digests.");
}

function badLinesMessage(named: readonly number[], count: number): string {
  const more = count - named.length;
  const list = `${named.join(", ")}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}`;
  return count === 1
    ? `Line ${list} has no MD5 or SHA-256 digest. Nothing was imported.`
    : `Lines ${list} have no MD5 or SHA-256 digest. Nothing was imported.`;
}

/**
 * Returns a function that parses a file's lines in order. For each line, the function returns the digests in lower
 * case, an empty list if the line is empty, a comment or the CSV header, or undefined if the line is invalid.
 */
function lineReader(): (line: string) => string[] | undefined {
  let isFirst = true;
  return (raw) => {
    // `linesOf` decodes the file as Latin-1, which turns the UTF-8 byte order mark into these three characters.
    const line = raw.replace(/^\u00ef\u00bb\u00bf/, "").trim();
    if (COMMENT.test(line)) return [];
    const isHeader = isFirst && HEADER.test(line);
    isFirst = false;
    return (
      line.match(DIGESTS)?.map((digest) => digest.toLowerCase()) ?? (isHeader ? [] : undefined)
    );
  };
}

const isMd5 = (digest: string) => digest.length === 32;
const isKnown = (digest: string) => (isMd5(digest) ? isBlockedMd5(digest) : isBlockedFile(digest));

function addEntry(name: string, reason: BlockReason): number {
  const { lastInsertRowid } = prepared(
    `INSERT INTO blocked_videos (reason, blocked_at, state, title, digests)
     VALUES (?, ?, 'none', ?, 0)`,
  ).run(reason, new Date().toISOString(), name);
  return Number(lastInsertRowid);
}

/** @returns the entry's id. */
function addTo(entry: number, digests: ReadonlySet<string>): number {
  const addMd5 = prepared("INSERT INTO blocked_md5s (md5, blocked_video_id) VALUES (?, ?)");
  const addSha256 = prepared("INSERT INTO blocked_files (sha256, blocked_video_id) VALUES (?, ?)");
  for (const digest of digests) (isMd5(digest) ? addMd5 : addSha256).run(digest, entry);
  prepared("UPDATE blocked_videos SET digests = digests + ? WHERE id = ?").run(digests.size, entry);
  return entry;
}
