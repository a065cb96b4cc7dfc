import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import {
  bucketFile,
  type MediaName,
  mediaBasePath,
  mediaUrl,
  parseMediaUrl,
} from "~/media/bucket.server";
import { readCaptionFile } from "~/media/captions/captions-thread.server";
import { CaptionsLimitError } from "~/media/captions/cues";
import { languageName, languageTag } from "~/media/captions/languages";
import {
  announceFiles,
  removeUnreferenced,
  withdrawAnnouncement,
} from "~/media/files/removals.server";
import type { FileRule, ReceivedFile } from "~/media/intake/received-file.server";
import { toUploadError, UploadError } from "~/media/intake/upload-error.server";
import { recordFile } from "~/media/media-files.server";
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

/** Captions that are stored beside their video, but that no row references yet. */
export interface NewCaptions {
  /** The column's new value: with the new captions, without the removed and the replaced. */
  change(column: string | null): string;
  /** Removes the files that the column no longer references, and records the folder's size. */
  commit(): Promise<void>;
  discard(): Promise<void>;
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
 * Reads a caption file and stores it beside the video's file, as WebVTT. It replaces the
 * captions of the same name, which is that of their language.
 *
 * @throws {UploadError} 422 when the file holds no captions, no language was chosen, or the video
 *   has no file on this site, 507 when the disk is full.
 */
export async function storeNewCaptions(
  videoId: string,
  { file, language, remove }: CaptionsEdit,
): Promise<NewCaptions> {
  const folder = await folderOf(videoId);
  const track = file && (await storeCaptionFile(file, language, folder));
  let lost: Captions[] = [];
  return {
    change(column) {
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

function refused(sentence: string): UploadError {
  return new UploadError(422, sentence, "captions");
}
