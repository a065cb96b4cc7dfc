import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { bucketFile, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { type Cue, decodeText, readCues, writeWebvtt } from "~/media/captions/cues";
import type { Cut } from "~/media/encode/artifact";
import { localFile } from "~/media/files/local-copies.server";
import { type Captions, readCaptions } from "~db/captions";

/**
 * The captions of a cut: those of its original, with the times of the cut, and what somebody has added
 * to the file that it replaces since that was cut itself. Captions that say nothing in it are left out.
 *
 * @param basePath `{userId}/{uploadId}` of the cut.
 * @param original the column `captions` of the original.
 * @param today the same of the file that the video has, and where its second 0 lies in the original.
 * @returns the new value of the column. They all count as added: the file itself has none, so that
 *   nothing else brings them back when it is converted again.
 */
export async function cutCaptions(
  basePath: string,
  { start, end }: Cut,
  original: string | null,
  today: { captions: string | null; start: number },
): Promise<string> {
  const length = end - start;
  const cut: Captions[] = [];
  const take = async (captions: Captions, shift: number) => {
    const url = await writeCut(captions.url, basePath, (cue) => ({
      ...cue,
      start: Math.max(0, cue.start - shift),
      end: Math.min(length, cue.end - shift),
    }));
    if (url) cut.push({ ...captions, url, added: true });
  };
  const whole = readCaptions(original);
  for (const captions of whole) await take(captions, start);
  const labels = new Set(whole.map(({ label }) => label));
  for (const captions of readCaptions(today.captions)) {
    if (!labels.has(captions.label)) await take(captions, start - today.start);
  }
  return JSON.stringify(cut);
}

/** The address of the captions with other times; undefined when nothing is left of them, or they are not there. */
async function writeCut(
  url: string,
  basePath: string,
  move: (cue: Cue) => Cue,
): Promise<string | undefined> {
  const name = parseMediaUrl(url);
  const from = name && bucketFile(name.bucket, name.path);
  const digest = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const target = `${basePath}/added-captions/cut-${digest}.vtt`;
  const to = bucketFile("videos", target);
  if (!from || !to) return undefined;
  const cues = (await readAll(from)).map(move).filter(({ start, end }) => end > start);
  if (cues.length === 0) return undefined;
  await mkdir(path.dirname(to), { recursive: true });
  await writeFile(to, writeWebvtt(cues));
  return mediaUrl("videos", target);
}

/** A file that is gone, or is none of captions, has no cues. */
async function readAll(file: string): Promise<Cue[]> {
  try {
    return readCues(decodeText(await readFile(await localFile(file))) ?? "");
  } catch {
    return [];
  }
}
