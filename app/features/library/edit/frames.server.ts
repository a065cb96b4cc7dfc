import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { extractFrame } from "~/media/encode/frames.server";
import { fit } from "~/media/encode/renditions.server";
import { createTask } from "~/media/encode/task.server";
import { localFile, withReadableFile } from "~/media/files/local-copies.server";
import { withTemporaryPath } from "~/media/files/temporary-files.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { toUploadError, UploadError } from "~/media/intake/upload-error.server";
import { ffmpegAvailable, InterruptedError } from "~/media/probe/ffmpeg.server";
import { cachedProbe, RefusedFileError } from "~/media/probe/probe.server";
import { withSlot } from "~/media/probe/process-gate.server";
import { StorageError } from "~/media/storage/object-store";
import { clientSignal } from "~/platform/node/request-context.server";
import { ownMediaPath } from "~/shared/media-path";
import { parseStoryboard, type StoryboardFrame } from "~/shared/streams/storyboard";
import { prepared } from "~db/client.server";
import { parsePosition } from "./positions";

const SIDE = 720;

/**
 * Hands the picture of a moment of a video to `work`, as a file that was received; it is removed then.
 *
 * @param moment as it was typed, such as `1:30` or `1:02:03.5`.
 * @param userId of the account that waits for it.
 * @throws {UploadError} 422 for what is no moment of the video, and where no picture can be taken, 429 where too many of
 *   the account's requests wait, 503 where it may succeed later, 507 when the disk is full.
 */
export async function withFrame<Result>(
  videoId: string,
  moment: string,
  userId: string,
  work: (picture: ReceivedFile) => Promise<Result>,
): Promise<Result> {
  const seconds = parsePosition(moment);
  if (seconds === undefined) throw refused("Write a moment of the video, such as 1:30.");
  const url = prepared("SELECT video_url FROM videos WHERE id = ?").pluck().get(videoId);
  const name = parseMediaUrl(String(url ?? ""));
  const file = name && bucketFile(name.bucket, name.path);
  if (!file)
    throw refused("This video has no file on this site that a picture could be taken from.");
  if (!ffmpegAvailable()) throw refused("ffmpeg is not installed: choose a picture file.");
  return withTemporaryPath(async (folder) => {
    const take = () => takeFrame(file, seconds, folder);
    const path = await withSlot(take, { owner: userId, signal: clientSignal() }).catch((error) => {
      throw toRefusal(error);
    });
    return work({ path, name: "", bytes: 0, sha256: "" });
  });
}

/** @returns the path of the picture, in `folder`, which it makes. */
async function takeFrame(file: string, seconds: number, folder: string): Promise<string> {
  await mkdir(folder);
  const take = async () => {
    const probe = await cachedProbe(file);
    if (seconds > probe.durationSeconds) throw refused("The video is shorter than that.");
    const task = createTask(folder, () => {});
    const picture = await extractFrame(file, probe, seconds, fit(probe.video, SIDE), task);
    if (!picture) throw refused("No picture could be taken there. Try another moment.");
    return picture;
  };
  return withReadableFile(file, take, { fetchCopy: false });
}

function toRefusal(error: unknown): unknown {
  if (error instanceof UploadError) return new UploadError(error.status, error.message, "frame");
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof RefusedFileError || code === "ENOENT")
    return refused("The file of this video can't be read. Choose a picture file.");
  if (error instanceof StorageError || (error instanceof InterruptedError && !code))
    return new UploadError(
      503,
      "The video can't be read just now. Please try again in a moment.",
      "frame",
    );
  return toUploadError(error);
}

function refused(message: string): UploadError {
  return new UploadError(422, message, "frame");
}

/** One of ours has at most 100 pictures in some 8 KB; another program's may have more. */
const MAX_FRAMES = 200;
const MAX_BYTES = 64 * 1024;

/**
 * The pictures of a storyboard, in the order of the video, with addresses of this site; none where there
 * is no storyboard, or it can't be read.
 */
export async function storyboardFrames(url: string | null): Promise<StoryboardFrame[]> {
  const name = parseMediaUrl(url ?? "");
  const file = name && bucketFile(name.bucket, name.path);
  const storyboard = file && (await readHead(file));
  if (!storyboard) return [];
  const own = parseStoryboard(storyboard, new URL(url ?? "", HERE).href).flatMap((frame) => {
    const { origin, pathname } = new URL(frame.sheet);
    const sheet = origin === HERE ? ownMediaPath(pathname) : undefined;
    return sheet ? [{ ...frame, sheet }] : [];
  });
  return own.slice(0, MAX_FRAMES);
}

const HERE = "http://this.invalid";

async function readHead(path: string): Promise<string | undefined> {
  try {
    return await text(createReadStream(await localFile(path), { end: MAX_BYTES - 1 }));
  } catch {
    return undefined;
  }
}
