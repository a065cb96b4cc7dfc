import { createHash, randomBytes } from "node:crypto";
import fs, { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  bucketFile,
  type MediaName,
  mediaBasePath,
  mediaUrl,
  parseMediaUrl,
} from "~/media/bucket.server";
import { readCaptionFile } from "~/media/captions/caption-file.server";
import {
  CaptionsLimitError,
  type Cue,
  decodeText,
  readCues,
  writeWebvtt,
} from "~/media/captions/cues";
import { languageName, languageTag } from "~/media/captions/languages";
import type { TrimRange } from "~/media/encode/artifact";
import { localFile } from "~/media/files/local-copies.server";
import {
  announceFiles,
  removeUnreferenced,
  withdrawAnnouncement,
} from "~/media/files/removals.server";
import type { FileRule, ReceivedFile } from "~/media/intake/received-file.server";
import { toUploadError, UploadError } from "~/media/intake/upload-error.server";
import { recordFile } from "~/media/media-files.server";
import { linkOrCopy } from "~/shared/move-files.server";
import { type Captions, readCaptions } from "~db/captions";
import { database } from "~db/client.server";
import { CAPTIONS_REMOVE } from "./captions-fields";

/** What the edit form says about captions. */
export interface CaptionsEdit {
  /** SubRip or WebVTT. */
  file?: ReceivedFile;
  language: string;
  /** URLs of the captions to be removed. */
  remove: string[];
}

const MAX_CAPTION_BYTES = 2 * 1024 ** 2;
const MAX_CAPTION_TRACKS = 40;

export const CAPTIONS_RULE: FileRule = {
  maxBytes: MAX_CAPTION_BYTES,
  tooLarge: "The caption file is larger than 2MB.",
  checkHead: async () => {},
};

/** What the fields of a form say about captions; undefined when it is nothing. */
export function captionsEdit(fields: FormData, file?: ReceivedFile): CaptionsEdit | undefined {
  const remove = [...fields.keys()]
    .filter((name) => name.startsWith(CAPTIONS_REMOVE))
    .map((name) => name.slice(CAPTIONS_REMOVE.length));
  if (!file && remove.length === 0) return undefined;
  return { file, remove, language: String(fields.get("captionsLanguage") ?? "") };
}

/**
 * Reads a caption file and stores it beside the video's file, as WebVTT, where no row references it yet. It replaces the
 * captions of the same name, which is that of their language.
 *
 * @throws {UploadError} 422 when the file holds no captions, no language was chosen, or the video
 *   has no file on this site, 507 when the disk is full.
 */
export async function storeNewCaptions(videoId: string, { file, language, remove }: CaptionsEdit) {
  const folder = await folderOf(videoId);
  const track = file && (await storeCaptionFile(file, language, folder));
  let lost: Captions[] = [];
  return {
    /** The column's new value: with the new captions, without the removed and the replaced. */
    change(column: string | null): string {
      const before = readCaptions(column);
      const after = before.filter(
        ({ url, label }) => !remove.includes(url) && label !== track?.label,
      );
      lost = before.filter((each) => !after.includes(each));
      if (track && after.length >= MAX_CAPTION_TRACKS) {
        throw refused(`A video has at most ${MAX_CAPTION_TRACKS} captions.`);
      }
      return JSON.stringify(track ? [...after, track] : after);
    },
    /** Removes the files that the column no longer references, and records the folder's size. */
    async commit() {
      if (track) await withdrawAnnouncement(captionFilesIn([track], folder));
      await removeUnreferenced(captionFilesIn(lost, folder), "discarded");
      if (folder) {
        await recordFile({ bucket: "videos", path: folder, videoId, kind: "derived" });
      }
    },
    async discard() {
      if (track) await removeUnreferenced(captionFilesIn([track], folder), "discarded");
    },
  };
}

async function storeCaptionFile(
  file: ReceivedFile,
  language: string,
  folder: string | undefined,
): Promise<Captions> {
  const webvtt = await readCaptionFile(file.path, "added").catch((error) => {
    throw error instanceof CaptionsLimitError ? refused(error.message) : error;
  });
  if (!webvtt) {
    throw refused("There are no captions in this file. It has to be .srt or .vtt, saved as UTF-8.");
  }
  const tag = languageTag(language);
  const label = languageName(tag);
  if (!label) throw refused("Choose the language of the captions.");
  if (!folder) throw refused("This video has no file on this site that captions could belong to.");
  const pathInBucket = `${folder}/added-captions/${tag}-${randomBytes(6).toString("hex")}.vtt`;
  const target = bucketFile("videos", pathInBucket);
  if (!target) throw new Error(`videos/${pathInBucket} is not a path in the bucket.`);
  try {
    await announceFiles([{ bucket: "videos", path: pathInBucket }]);
    await fs.mkdir(path.dirname(target), { recursive: true });
    // Names that begin with a dot are not served, so nobody reads a partial file.
    const partial = path.join(path.dirname(target), `.${path.basename(target)}`);
    await fs.writeFile(partial, webvtt);
    await fs.rename(partial, target);
  } catch (error) {
    throw toUploadError(error);
  }
  return { url: mediaUrl("videos", pathInBucket), language: tag, label, added: true };
}

/** `{userId}/{timestamp}` of the video's own file; undefined when it has no file on this site. */
async function folderOf(videoId: string): Promise<string | undefined> {
  const row = await database()
    .selectFrom("videos")
    .select(["video_url", "source_url"])
    .where("id", "=", videoId)
    .executeTakeFirst();
  const name = parseMediaUrl(row?.video_url || row?.source_url || "");
  const isOwn = name?.bucket === "videos" && name.path.split("/").length === 2;
  return isOwn ? mediaBasePath(name.path) : undefined;
}

/** Only files beside the video: a row that another program wrote may reference anything. */
function captionFilesIn(captions: readonly Captions[], folder: string | undefined): MediaName[] {
  return captions
    .map(({ url }) => parseMediaUrl(url))
    .filter((name) => name !== undefined)
    .filter(({ bucket, path }) => folder && bucket === "videos" && path.startsWith(`${folder}/`));
}

function refused(message: string): UploadError {
  return new UploadError(422, message, "captions");
}

/**
 * The captions of a video once it has another file: what that file brings, and what somebody has added
 * to the one before, which is copied beside it. What was added goes before what has the same name.
 *
 * @param basePath `{userId}/{uploadId}` of the new file.
 * @param added the column `captions` of the video as it is.
 * @param own that of the new file.
 * @returns the new value of the column.
 */
export async function carryCaptions(
  basePath: string,
  added: string | null,
  own: string | null,
): Promise<string | null> {
  const carried: Captions[] = [];
  for (const each of readCaptions(added)) {
    if (each.added) carried.push({ ...each, url: await copyBeside(each.url, basePath) });
  }
  if (carried.length === 0) return own;
  const labels = new Set(carried.map(({ label }) => label));
  const rest = readCaptions(own).filter(({ label }) => !labels.has(label));
  return JSON.stringify([...rest, ...carried]);
}

/** The address of the copy; that of the file itself where it is none of ours, or gone. */
async function copyBeside(url: string, basePath: string): Promise<string> {
  const name = parseMediaUrl(url);
  const from = name?.bucket === "videos" && bucketFile(name.bucket, name.path);
  const target = `${basePath}/added-captions/${path.basename(url)}`;
  const to = bucketFile("videos", target);
  if (!from || !to) return url;
  try {
    await linkOrCopy(await localFile(from), to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return url;
  }
  return mediaUrl("videos", target);
}

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
  { start, end }: TrimRange,
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
