import { open, stat } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../ffmpeg.server";
import { boxes } from "../mp4-boxes.server";
import { isPlayableVideo } from "../playable";
import type { Probe } from "../probe.server";
import {
  chosenHardware,
  deviceArguments,
  type Hardware,
  pictureArguments,
  STEADY_SOUND,
  soundArguments,
  threads,
  uploadFilter,
} from "./encoders.server";
import { copyWithIndexInFront } from "./faststart.server";
import { pictureFilters } from "./filters.server";
import { cpuFor, type Made, NOTHING, roomFor, type Source } from "./made";
import { fit, steadyRate } from "./rungs";
import { withSoftware } from "./software.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

/** The first rendition is small, so that it is there soon; the ladder brings the larger ones. */
const FIRST_SIDE = 720;
const FIRST_BITRATE = 4_000_000;
const FIRST_SOUND = 128_000;
const FILE = "playable.mp4";

/** Containers whose clock survives a copy; AVI and MPEG have none that does. */
const COPIED_FROM = ["mp4", "mov", "matroska", "webm", "mpegts", "flv"];

/** What of a file is copied as it is, and what is encoded anew, into an MP4 that browsers play. */
export function conversionOf(probe: Probe): { video: "copy" | "encode"; audio: "copy" | "encode" } {
  const { container, video, audio } = probe;
  const copyable =
    COPIED_FROM.includes(container) && isPlayableVideo(video) && video.codec !== "vp8";
  const sounds = copyable && video.codec !== "h264" ? ["aac", "mp3", "opus"] : ["aac", "mp3"];
  return {
    video: copyable ? "copy" : "encode",
    audio:
      audio && COPIED_FROM.includes(container) && sounds.includes(audio.codec) ? "copy" : "encode",
  };
}

/** Whether a file is kept as it came because its copy has everything it had. */
export function isCopyOf(probe: Probe): boolean {
  return probe.playable && conversionOf(probe).video === "copy";
}

/**
 * What lets a video be watched: nothing when browsers play it as it is; a copy into MP4 with the
 * index in front; or a first rendition in H.264 and AAC.
 */
export async function makePlayable(source: Source, probe: Probe, task: Task): Promise<Made> {
  const asItIs = probe.playable && !probe.needsFaststart && probe.container !== "mov";
  if (asItIs) {
    const columns = source.row.video_url ? {} : { video_url: source.url, source_url: null };
    return { ...NOTHING, columns, durationSeconds: probe.durationSeconds };
  }
  const extension = source.url.endsWith(".mp4") ? "m4v" : "mp4";
  if (conversionOf(probe).video === "copy") await copy(source, probe, task);
  else await withSoftware(chosenHardware(), (hardware) => encode(source, probe, task, hardware));
  const place = `${source.stem}.${extension}`;
  return {
    moves: [{ from: FILE, bucket: "videos", path: place }],
    columns: { video_url: `/media/videos/${place}`, source_url: source.url },
    durationSeconds: probe.durationSeconds,
  };
}

/** Of a stranger's file nothing travels on but picture and sound: no place, no name, no chapters. */
function streams(probe: Probe): string[] {
  return [
    ...["-map", `0:${probe.video.index}`],
    ...(probe.audio ? ["-map", `0:${probe.audio.index}`] : []),
    ...["-map_metadata", "-1", "-map_chapters", "-1", "-sn", "-dn"],
  ];
}

async function copy(source: Source, probe: Probe, task: Task): Promise<void> {
  const soundStays = !probe.audio || conversionOf(probe).audio === "copy";
  const isMp4 = probe.container === "mp4" && soundStays;
  const target = path.join(task.folder, FILE);
  if (isMp4 && (await copyWithIndexInFront(source.file, target, task))) return;
  const { size } = await stat(source.file);
  const args = [
    ...[...inputArguments(source.file), ...streams(probe), "-c:v", "copy"],
    ...(probe.audio ? soundOf(probe) : []),
  ];
  const run = {
    seconds: probe.durationSeconds,
    fileBytes: size * 1.5 + 64 * 1024 ** 2,
    cpuSeconds: cpuFor(probe),
    urgent: true,
  };
  // Room for the index is left in front, which saves writing the whole file a second time.
  const room = await indexRoom(source.file);
  if (room) {
    const reserved = ["-moov_size", String(room), FILE];
    const done = await runFfmpeg(task, [...args, ...reserved], run).then(
      () => true,
      (error) => {
        if (error instanceof EncodeError) return false;
        throw error;
      },
    );
    if (done) return;
  }
  await runFfmpeg(task, [...args, "-movflags", "+faststart", FILE], run);
}

/** A little more than the index of the file takes now; undefined when it has no single one. */
async function indexRoom(source: string): Promise<number | undefined> {
  const file = await open(source);
  try {
    const top = await boxes(file, 0, (await file.stat()).size);
    const moov = top.find((box) => box.type === "moov");
    if (!moov || top.some((box) => box.type === "moof")) return undefined;
    return Math.round((moov.end - moov.start) * 1.5) + 64 * 1024;
  } finally {
    await file.close();
  }
}

function soundOf(probe: Probe): string[] {
  if (conversionOf(probe).audio === "copy") return ["-c:a", "copy"];
  return ["-af", STEADY_SOUND, ...soundArguments(FIRST_SOUND)];
}

async function encode(source: Source, probe: Probe, task: Task, hardware: Hardware): Promise<void> {
  const { video } = probe;
  const size = fit(video, FIRST_SIDE);
  const filters = [
    ...pictureFilters(video, size, steadyRate(video.frameRate)),
    uploadFilter(hardware),
  ];
  await runFfmpeg(
    task,
    [
      ...deviceArguments(hardware),
      ...["-threads", String(threads()), ...inputArguments(source.file), ...streams(probe)],
      ...["-t", String(probe.durationSeconds + 1), "-vf", filters.join(",")],
      ...pictureArguments(hardware, { maxBitrate: FIRST_BITRATE, crf: 22 }),
      ...(probe.audio ? soundOf(probe) : []),
      ...["-movflags", "+faststart", FILE],
    ],
    {
      seconds: probe.durationSeconds,
      fileBytes: roomFor(probe.durationSeconds, FIRST_BITRATE + FIRST_SOUND),
      cpuSeconds: cpuFor(probe),
    },
  );
}
