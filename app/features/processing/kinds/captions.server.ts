import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { readCaptionFile } from "~/media/captions/caption-file.server";
import { CaptionsLimitError } from "~/media/captions/cues";
import { captionsLabel, distinctLabel, languageTag } from "~/media/captions/languages";
import { type Artifact, cpuSecondsFor, type Source } from "~/media/encode/artifact";
import { EncodeError, NO_METADATA, runFfmpeg, type Task } from "~/media/encode/task.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import type { Probe } from "~/media/probe/probe.server";
import type { SubtitleStream } from "~/media/probe/streams";
import type { Captions } from "~db/captions";

/** The maximum number of caption tracks. No commercial release has that many. */
const MAX_TRACKS = 20;
/** The captions of a long video take up 200 KB, so a much larger file doesn't contain real captions. */
const MAX_BYTES = 4 * 1024 ** 2;
/** Captions are sparse, so ffmpeg may read a long file for minutes without producing any output. */
const WATCHDOG_MS = 600_000;

/** Extracts a file's text captions as WebVTT, labeled with their language and title. */
export async function extractCaptions(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
): Promise<Artifact> {
  const streams = probe.subtitles.slice(0, MAX_TRACKS);
  const folder = `captions-${generation}`;
  await mkdir(path.join(task.folder, folder), { recursive: true });
  const captions: Captions[] = [];
  for (const { stream, file } of await extract(source, probe, streams, task)) {
    const webvtt = await webvttOf(file);
    if (!webvtt) continue;
    const name = `${captions.length + 1}.vtt`;
    await writeFile(path.join(task.folder, folder, name), webvtt);
    captions.push({
      url: `/media/videos/${source.basePath}/${folder}/${name}`,
      language: languageTag(stream.language),
      label: distinctLabel(captionsLabel(stream), new Set(captions.map(({ label }) => label))),
      added: false,
    });
  }
  const move = { from: folder, bucket: "videos", path: `${source.basePath}/${folder}` } as const;
  return { moves: captions.length > 0 ? [move] : [], columns: {}, captions };
}

/** Extracts all streams in one pass or, if one of them is damaged, each stream separately. */
async function extract(
  source: Source,
  probe: Probe,
  streams: SubtitleStream[],
  task: Task,
): Promise<{ stream: SubtitleStream; file: string }[]> {
  if (streams.length === 0) return [];
  const files = streams.map((stream) => ({
    stream,
    file: path.join(task.folder, `${stream.index}.srt`),
  }));
  const read = (some: typeof files) =>
    runFfmpeg(
      task,
      [
        ...inputArguments(source.file),
        // SubRip is used because ffmpeg doesn't escape "<" and "&" in WebVTT.
        ...some.flatMap(({ stream, file }) => [
          ...["-map", `0:${stream.index}`, "-c:s", "srt", ...NO_METADATA],
          ...["-fs", String(MAX_BYTES), "-f", "srt", file],
        ]),
      ],
      {
        seconds: probe.durationSeconds,
        fileBytes: MAX_BYTES * 4,
        cpuSeconds: cpuSecondsFor(probe),
        watchdogMs: WATCHDOG_MS,
      },
    );
  try {
    await read(files);
    return files;
  } catch (error) {
    if (!(error instanceof EncodeError) || files.length === 1) throw error;
  }
  const whole: typeof files = [];
  for (const each of files) {
    try {
      await read([each]);
      whole.push(each);
    } catch (error) {
      if (!(error instanceof EncodeError)) throw error;
      await removeTemporary(each.file);
    }
  }
  return whole;
}

/** Returns one stream's captions as WebVTT, or undefined if they contain no text. */
async function webvttOf(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    return size < MAX_BYTES ? await readCaptionFile(file, "extracted") : undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing || error instanceof CaptionsLimitError) return undefined;
    throw error;
  } finally {
    await removeTemporary(file);
  }
}
