import { stat } from "node:fs/promises";
import { processState } from "~db/runtime.server";
import { rangedObject, throwIfStoreFailed } from "../storage/ranged-input.server";
import { InterruptedError } from "./ffmpeg.server";
import { type Probe, probe } from "./probe.server";

/** Of the files that were read last, by what changes with their contents: a video's jobs follow each other. */
const probes = processState("probed files", () => new Map<string, Probe>());
const MOST_PROBES = 4;

/**
 * What `probe` finds in a file; it is not read again while it has not changed.
 *
 * @throws {RefusedFileError} when it is not one that anything can be made from, or not there.
 * @throws {InterruptedError} when it could not be read to the end.
 */
export async function cachedProbe(file: string): Promise<Probe> {
  // A file that is gone is told by the probe.
  const state = await stat(file).catch(() => undefined);
  const object = rangedObject(file);
  const version = [file, object, state?.ino, state?.size, state?.mtimeMs, state?.ctimeMs].join();
  const found = probes().get(version) ?? (await probe(file));
  if (!found) throw new InterruptedError("ffmpeg is not installed any more.");
  // ffprobe takes a failure of the store for the end of the file.
  throwIfStoreFailed(file);
  const known = probes();
  known.delete(version);
  known.set(version, found);
  for (const oldest of [...known.keys()].slice(0, -MOST_PROBES)) known.delete(oldest);
  return found;
}
