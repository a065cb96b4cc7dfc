import fs from "node:fs/promises";
import { HEAD_BYTES } from "~/media/intake/received-file.server";
import { videoEnding } from "~/media/intake/sniff.server";
import { probeInterrupted, UploadError } from "~/media/intake/upload-error.server";
import { InterruptedError } from "~/media/probe/ffmpeg.server";
import { MEASURED_WHILE_WAITING, probe, RefusedFileError } from "~/media/probe/probe.server";
import { withPlace } from "~/media/probe/process-gate.server";
import type { CutOff } from "~/shared/cut-off";

/** What the content of an upload says about it. */
export interface ProbedVideo {
  ending: string;
  /** Left out while it is unknown: the first job of the video sets it then. */
  durationSeconds?: number;
  cutOff?: CutOff;
  /** Also true when it is unknown, because then nothing could transcode it either. */
  playable: boolean;
}

/**
 * Inspects the content; only its first bytes where ffprobe is not installed.
 *
 * @param userId of the account whose upload it is.
 * @throws {UploadError} 415 or 422 for what is no video, 503 where it could not be examined just now.
 */
export async function probeUpload(file: string, userId: string): Promise<ProbedVideo> {
  const ending = await videoEnding(await firstBytes(file));
  try {
    // Neither a full queue nor a client that leaves ends the waiting: all of its file has arrived.
    const read = () => probe(file, { measureUpTo: MEASURED_WHILE_WAITING });
    const found = await withPlace(read, { owner: userId, isPatient: true });
    if (!found) return { ending, playable: true };
    const { isEstimated, cutOff, playable } = found;
    const durationSeconds = isEstimated ? undefined : found.durationSeconds;
    return { ending, durationSeconds, playable, ...(cutOff && { cutOff }) };
  } catch (error) {
    if (error instanceof InterruptedError) throw probeInterrupted();
    if (!(error instanceof RefusedFileError)) throw error;
    throw new UploadError(error.status, error.message, "video");
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await fs.open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
