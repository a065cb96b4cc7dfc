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

/** The changes to captions in an edit form. */
export interface CaptionsEdit {
  /** SubRip or WebVTT. */
  file?: ReceivedFile;
  language: string;
  /** The URLs of the captions to be removed. */
  remove: string[];
}

const MAX_CAPTION_BYTES = 2 * 1024 ** 2;
const MAX_CAPTION_TRACKS = 40;

export const CAPTIONS_RULE: FileRule = {
  maxBytes: MAX_CAPTION_BYTES,
  tooLarge: "The caption file is larger than 2MB.",
  checkHead: async () => {},
};

/** Returns the changes to captions in a form, or undefined if there are none. */
export function captionsEdit(fields: FormData, file?: ReceivedFile): CaptionsEdit | undefined {
  const remove = [...fields.keys()]
    .filter((name) => name.startsWith(CAPTIONS_REMOVE))
    .map((name) => name.slice(CAPTIONS_REMOVE.length));
  if (!file && remove.length === 0) return undefined;
  return { file, remove, language: String(fields.get("captionsLanguage") ?? "") };
}

/**
 * Converts a caption file to WebVTT and stores it next to the video's file. The caller must then add it to the video's
 * row. The new captions replace captions with the same label, which is the name of the language.
 *
 * @throws {UploadError} 422 if the file has no captions, no language was chosen, or the video has no file on this site;
 *   507 if the disk is full.
 */
export async function storeNewCaptions(videoId: string, { file, language, remove }: CaptionsEdit) {
  const folder = await folderOf(videoId);
  const track = file && (await storeCaptionFile(file, language, folder));
  let lost: Captions[] = [];
  return {
    /**
     * Returns the new value of the `captions` column, with the new captions and without the removed and replaced ones.
     */
    change(column: string | null): string {
      const before = readCaptions(column);
      const after = before.filter(
        ({ url, label }) => !remove.includes(url) && label !== track?.label,
      );
      lost = before.filter((each) => !after.includes(each));
      if (track && after.length >= MAX_CAPTION_TRACKS) {
        throw captionsError(`A video can have at most ${MAX_CAPTION_TRACKS} caption tracks.`);
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
    throw error instanceof CaptionsLimitError ? captionsError(error.message) : error;
  });
  if (!webvtt) {
    throw captionsError("This file contains no captions. Upload an .srt or .vtt file in UTF-8.");
  }
  const tag = languageTag(language);
  const label = languageName(tag);
  if (!label) throw captionsError("Choose a caption language.");
  if (!folder)
    throw captionsError("Captions can’t be added because this video has no file on this site.");
  const pathInBucket = `${folder}/added-captions/${tag}-${randomBytes(6).toString("hex")}.vtt`;
  const target = bucketFile("videos", pathInBucket);
  if (!target) throw new Error(`videos/${pathInBucket} is not a path in the bucket.`);
  try {
    await announceFiles([{ bucket: "videos", path: pathInBucket }]);
    await fs.mkdir(path.dirname(target), { recursive: true });
    // Files whose names start with a dot aren't served, so nobody can read a partial file.
    const partial = path.join(path.dirname(target), `.${path.basename(target)}`);
    await fs.writeFile(partial, webvtt);
    await fs.rename(partial, target);
  } catch (error) {
    throw toUploadError(error);
  }
  return { url: mediaUrl("videos", pathInBucket), language: tag, label, added: true };
}

/** Returns `{userId}/{timestamp}` for the video's file, or undefined if the video has no file on this site. */
async function folderOf(videoId: string): Promise<string | undefined> {
  const row = await database()
    .selectFrom("videos")
    .select(["video_url", "source_url"])
    .where("id", "=", videoId)
    .executeTakeFirst();
  const name = parseMediaUrl(row?.video_url || row?.source_url || "");
  const isOwnFile = name?.bucket === "videos" && name.path.split("/").length === 2;
  return isOwnFile ? mediaBasePath(name.path) : undefined;
}

/**
 * Returns only files that are next to the video's file, because a row written by another tool may reference any file.
 */
function captionFilesIn(captions: readonly Captions[], folder: string | undefined): MediaName[] {
  return captions
    .map(({ url }) => parseMediaUrl(url))
    .filter((name) => name !== undefined)
    .filter(({ bucket, path }) => folder && bucket === "videos" && path.startsWith(`${folder}/`));
}

function captionsError(message: string): UploadError {
  return new UploadError(422, message, "captions");
}

/**
 * Returns a video's captions after its file has been replaced: the captions from the new file, and the captions that
 * were uploaded for the old file, which are copied next to the new one. Uploaded captions replace captions with the
 * same label.
 *
 * @param basePath `{userId}/{uploadId}` of the new file.
 * @param added the current value of the video's `captions` column.
 * @param own the new file's `captions` column.
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

/** Returns the URL of the copy, or `url` if the file isn't on this site or doesn't exist. */
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
 * Returns the captions for a trimmed file: those of the original, and those that were uploaded for the file that it
 * replaces, all with adjusted times. Captions that have no cues in the trimmed range are left out.
 *
 * @param basePath `{userId}/{uploadId}` of the trimmed file.
 * @param original the original's `captions` column.
 * @param current the `captions` column of the video's current file, and where that file starts in the original, in
 *   seconds.
 * @returns the new value of the column. All of the captions count as uploaded: the trimmed file itself doesn't contain
 *   any, so re-encoding it would otherwise lose them.
 */
export async function trimCaptions(
  basePath: string,
  { start, end }: TrimRange,
  original: string | null,
  current: { captions: string | null; start: number },
): Promise<string> {
  const length = end - start;
  const trimmed: Captions[] = [];
  const take = async (captions: Captions, shift: number) => {
    const url = await writeTrimmed(captions.url, basePath, (cue) => ({
      ...cue,
      start: Math.max(0, cue.start - shift),
      end: Math.min(length, cue.end - shift),
    }));
    if (url) trimmed.push({ ...captions, url, added: true });
  };
  const originalTracks = readCaptions(original);
  for (const captions of originalTracks) await take(captions, start);
  const labels = new Set(originalTracks.map(({ label }) => label));
  for (const captions of readCaptions(current.captions)) {
    if (!labels.has(captions.label)) await take(captions, start - current.start);
  }
  return JSON.stringify(trimmed);
}

/**
 * Writes captions with adjusted times and returns their URL. Returns undefined if no cues are left or the file doesn't
 * exist.
 */
async function writeTrimmed(
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
  const cues = (await readAllCues(from)).map(move).filter(({ start, end }) => end > start);
  if (cues.length === 0) return undefined;
  await mkdir(path.dirname(to), { recursive: true });
  await writeFile(to, writeWebvtt(cues));
  return mediaUrl("videos", target);
}

/** Returns all cues in a caption file, or an empty list if the file doesn't exist or has no captions. */
async function readAllCues(file: string): Promise<Cue[]> {
  try {
    return readCues(decodeText(await readFile(await localFile(file))) ?? "");
  } catch {
    return [];
  }
}
