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

const MAX_SIDE_PX = 720;

/**
 * Extracts a frame from a video, passes it to `work` as if it had been uploaded, and removes it afterwards.
 *
 * @param position the position as entered, such as `1:30` or `1:02:03.5`.
 * @param userId the account that is waiting for the frame.
 * @throws {UploadError} 422 for an invalid position, or if no frame can be extracted; 429 if too many of the account's
 *   requests are waiting; 503 if a retry may succeed; 507 if the disk is full.
 */
export async function withFrame<Result>(
  videoId: string,
  position: string,
  userId: string,
  work: (image: ReceivedFile) => Promise<Result>,
): Promise<Result> {
  const seconds = parsePosition(position);
  if (seconds === undefined) throw frameError("Enter a position in the video, such as 1:30.");
  const url = prepared("SELECT video_url FROM videos WHERE id = ?").pluck().get(videoId);
  const name = parseMediaUrl(String(url ?? ""));
  const file = name && bucketFile(name.bucket, name.path);
  if (!file) throw frameError("A frame can’t be used because this video has no file on this site.");
  if (!ffmpegAvailable()) throw frameError("ffmpeg is not installed. Upload an image instead.");
  return withTemporaryPath(async (folder) => {
    const extract = () => extractFrameTo(file, seconds, folder);
    const path = await withSlot(extract, { owner: userId, signal: clientSignal() }).catch(
      (error) => {
        throw toRefusal(error);
      },
    );
    return work({ path, name: "", bytes: 0, sha256: "" });
  });
}

/** Creates `folder` and returns the path of the image in it. */
async function extractFrameTo(file: string, seconds: number, folder: string): Promise<string> {
  await mkdir(folder);
  const extract = async () => {
    const probe = await cachedProbe(file);
    if (seconds > probe.durationSeconds)
      throw frameError("This position is after the end of the video.");
    const task = createTask(folder, () => {});
    const image = await extractFrame(file, probe, seconds, fit(probe.video, MAX_SIDE_PX), task);
    if (!image) throw frameError("Couldn’t extract a frame at this position. Try another one.");
    return image;
  };
  return withReadableFile(file, extract, { fetchCopy: false });
}

function toRefusal(error: unknown): unknown {
  if (error instanceof UploadError) return new UploadError(error.status, error.message, "frame");
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof RefusedFileError || code === "ENOENT")
    return frameError("This video’s file can’t be read. Upload an image instead.");
  if (error instanceof StorageError || (error instanceof InterruptedError && !code))
    return new UploadError(
      503,
      "The video can’t be read right now. Try again in a few seconds.",
      "frame",
    );
  return toUploadError(error);
}

function frameError(message: string): UploadError {
  return new UploadError(422, message, "frame");
}

/** This site's storyboards list at most 100 frames in about 8 KB. Storyboards from other tools may be larger. */
const MAX_FRAMES = 200;
const MAX_STORYBOARD_BYTES = 64 * 1024;

/**
 * Returns the frames of a storyboard in chronological order, with URLs on this site; an empty list if there is no
 * storyboard or it can't be read.
 */
export async function storyboardFrames(url: string | null): Promise<StoryboardFrame[]> {
  const name = parseMediaUrl(url ?? "");
  const file = name && bucketFile(name.bucket, name.path);
  const storyboard = file && (await readHead(file));
  if (!storyboard) return [];
  const own = parseStoryboard(storyboard, new URL(url ?? "", BASE_URL).href).flatMap((frame) => {
    const { origin, pathname } = new URL(frame.sheet);
    const sheet = origin === BASE_URL ? ownMediaPath(pathname) : undefined;
    return sheet ? [{ ...frame, sheet }] : [];
  });
  return own.slice(0, MAX_FRAMES);
}

const BASE_URL = "http://this.invalid";

async function readHead(path: string): Promise<string | undefined> {
  try {
    return await text(createReadStream(await localFile(path), { end: MAX_STORYBOARD_BYTES - 1 }));
  } catch {
    return undefined;
  }
}
