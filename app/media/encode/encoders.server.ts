import os from "node:os";
import { settings } from "~/platform/settings.server";
import { EXTRA_CODECS, type ExtraCodec } from "~/shared/streams/codecs";
import { processState } from "~db/runtime.server";
import { hasEncoder, InterruptedError } from "../probe/ffmpeg.server";
import { type Probe, timestampsJump } from "../probe/probe.server";
import { EncodeError } from "./task.server";

export type Hardware = "off" | "vaapi" | "nvenc" | "qsv";
type Card = Exclude<Hardware, "off">;

/** After a card has failed, software does its work for this long. */
const SUSPENSION_MS = 10 * 60_000;
const suspension = processState("encoder suspension", () => ({ until: 0 }));

/** The encoder to use now: the one of the settings, or software while that one rests. */
export function chosenHardware(now = Date.now()): Hardware {
  return now < suspension().until ? "off" : settings().encoderHardware;
}

/** What only the card can encode has to wait, since the card is suspended. */
export class HardwareSuspendedError extends Error {
  constructor(readonly remainingMs: number) {
    super("Hardware encoding is suspended after a failure.");
  }
}

/** Returns to software after a failure of the card, and says so once. */
export function suspendHardware(hardware: Hardware, reason: string, now = Date.now()): void {
  suspension().until = now + SUSPENSION_MS;
  console.warn(
    `The encoder ${hardware} failed (${reason}); the next ${SUSPENSION_MS / 60_000} minutes software encodes.`,
  );
}

/**
 * Each rendition has an encoder of its own, and each of its threads pictures, a stack and an arena of
 * malloc: with 48 threads the ladder did not fit into the memory that ffmpeg is given (probe/ffmpeg.server.ts).
 * With 8 a ladder up to 2160p takes 4 GiB of its 6.
 */
const MAX_THREADS = 8;

/** Threads that a decoder, an encoder, or the filters may use. */
export function threads(): number {
  return Math.min(settings().encoderThreads || os.availableParallelism(), MAX_THREADS);
}

/** To be raised with a change of the ladder that makes it worth while to convert all videos again. */
const LADDER_VERSION = 1;

/**
 * What streams are made with today. Kept with each: where the two differ, converting again brings
 * something, see `reencodeOutdatedStreams`.
 *
 * @example ladderSettings() // "1 off auto 1080"
 */
export function ladderSettings(): string {
  const { encoderHardware, encoderPreset, encoderMaxHeight } = settings();
  return [LADDER_VERSION, encoderHardware, encoderPreset, encoderMaxHeight].join(" ");
}

/** `urgent`: someone waits for it; `idle`: nothing else waits. */
export type Pace = "urgent" | "usual" | "idle";

const USUAL_PRESET = "veryfast";
/** Takes 1.77 times the processor time, for a quarter fewer bits. */
const IDLE_PRESET = "medium";

/** x264's preset: the operator's, or by what else is to be made. */
export function presetFor(pace: Pace): string {
  const { encoderPreset } = settings();
  if (encoderPreset !== "auto") return encoderPreset;
  return pace === "idle" ? IDLE_PRESET : USUAL_PRESET;
}

/** What videos are measured by: x264 then spends nothing on detail that only looks like the video's. */
const TUNE = "ssim";

/** Of the renditions of a stream, by x264's scale. */
export const QUALITY = 23;

export interface Picture {
  maxBitrate: number;
  /** For how many seconds it may take more than that, which are made up for afterwards. */
  bufferSeconds?: number;
  /** Pictures from one keyframe to the next; left out where it does not matter. */
  keyframeEvery?: number;
  /** x264's quality, lower is better; a card gets its bitrate instead. */
  crf: number;
  /** Of x264; the one for what is made while others wait, where it is left out. */
  preset?: string;
}

/** What stands before the inputs. */
export function deviceArguments(hardware: Hardware): string[] {
  if (hardware === "vaapi") return ["-vaapi_device", "/dev/dri/renderD128"];
  if (hardware === "qsv") return ["-init_hw_device", "qsv=card", "-filter_hw_device", "card"];
  return [];
}

/** The last filter before the encoder: into the card's memory, where it wants that. */
export function uploadFilter(hardware: Hardware): string {
  if (hardware === "vaapi") return "format=nv12,hwupload";
  if (hardware === "qsv") return "format=nv12,hwupload=extra_hw_frames=64";
  return "format=yuv420p";
}

/** H.264 High, within a bitrate, with keyframes where they are wanted and nowhere else. */
export function pictureArguments(hardware: Hardware, picture: Picture): string[] {
  const {
    maxBitrate,
    bufferSeconds = 2,
    keyframeEvery,
    crf,
    preset = presetFor("usual"),
  } = picture;
  const within = ["-maxrate", String(maxBitrate), "-bufsize", String(maxBitrate * bufferSeconds)];
  const keyframes = keyframeEvery
    ? ["-g", String(keyframeEvery), "-force_key_frames", `expr:not(mod(n,${keyframeEvery}))`]
    : [];
  if (hardware !== "off") {
    const rate = ["-b:v", String(Math.round(maxBitrate * 0.75)), ...within];
    return ["-c:v", `h264_${hardware}`, "-profile:v", "high", ...rate, ...keyframes];
  }
  return [
    ...["-c:v", "libx264", "-preset", preset, "-profile:v", "high"],
    ...["-tune", TUNE, "-crf", String(crf), ...within, "-threads", String(threads())],
    ...keyframes,
    ...(keyframeEvery ? ["-keyint_min", String(keyframeEvery), "-sc_threshold", "0"] : []),
  ];
}

/** AAC LC, stereo, 48 kHz. */
export function soundArguments(bitrate: number): string[] {
  return ["-c:a", "aac", "-b:a", String(bitrate), "-ac", "2", "-ar", "48000"];
}

/**
 * The filter that keeps the sound with the picture: silence where it begins late, has holes or ends
 * early, and nothing behind the last picture. Players of streams stop for good where one of the two
 * ends before the other.
 *
 * @param seconds when the last picture ends.
 */
export function steadySound(probe: Probe, seconds = probe.durationSeconds): string {
  const end = seconds.toFixed(6);
  // Each part in another format gets new filters, which must not begin with silence from 0 on.
  const fillsStart = !timestampsJump(probe) || probe.sounds.some(({ startsLate }) => startsLate);
  const start = fillsStart ? ":first_pts=0" : "";
  return `aresample=48000:async=1${start},apad=whole_dur=${end},atrim=end=${end}`;
}

/** Encodes with the card, and with software when the card can't: a job never fails of hardware. */
export async function withSoftware<T>(
  hardware: Hardware,
  encode: (hardware: Hardware) => Promise<T>,
): Promise<T> {
  try {
    return await encode(hardware);
  } catch (error) {
    // A driver that crashes or hangs ends ffmpeg too.
    const isInterrupted = error instanceof InterruptedError && error.code !== "ENOSPC";
    if (hardware === "off" || !(isInterrupted || error instanceof EncodeError)) throw error;
    const said = error instanceof EncodeError ? error.lines.at(-1) : undefined;
    suspendHardware(hardware, said ?? error.message);
    return encode("off");
  }
}

/** Of SVT-AV1, whose names are numbers: 45 % fewer bits than x264's `veryfast` at the same quality. */
const AV1_PRESET = 8;
/** SVT-AV1's quality that looks like `QUALITY`, and its steps for one of x264's. */
const AV1_QUALITY = 35;
const AV1_STEPS = 1.5;
/** Of the bits that H.264 may take at its busiest. */
const MAX_SHARE_OF_H264 = 0.7;

/** The encoder of a codec, or why there is none, as a sentence for the log. */
function encoderOf(codec: ExtraCodec): { encoder: string } | { reason: string } {
  const { encoderHardware } = settings();
  const { label } = EXTRA_CODECS[codec];
  if (codec === "hevc" && encoderHardware === "off") {
    return { reason: `${label} is made by hardware alone, and ENCODER_HARDWARE is off` };
  }
  const encoder = codec === "av1" ? "libsvtav1" : `hevc_${encoderHardware}`;
  if (!hasEncoder(encoder)) return { reason: `this ffmpeg has no encoder ${encoder}` };
  return { encoder };
}

function wantedCodecs(): ExtraCodec[] {
  return settings().encoderCodecs.filter((codec) => codec !== "h264");
}

/** What is made beside H.264 on this machine: what the operator wants and ffmpeg can. */
export function extraCodecs(): ExtraCodec[] {
  return wantedCodecs().filter((codec) => "encoder" in encoderOf(codec));
}

/** What the operator wants and this machine can't make, each as a sentence that says why. */
export function codecsSwitchedOff(): string[] {
  return wantedCodecs().flatMap((codec) => {
    const found = encoderOf(codec);
    if ("encoder" in found) return [];
    return [`${EXTRA_CODECS[codec].label} is switched off, since ${found.reason}.`];
  });
}

/** Says that in the log. */
export function announceCodecs(): void {
  for (const message of codecsSwitchedOff()) console.warn(`ENCODER_CODECS: ${message}`);
}

/** What encodes a codec in one attempt. The device, the last filter and the encoder all follow from it. */
export type CodecEncoder = { codec: "av1"; hardware: "off" } | { codec: "hevc"; hardware: Card };

/**
 * Chooses what encodes a codec, once for each attempt: the card may be suspended in the middle of one.
 *
 * @throws {HardwareSuspendedError} for a codec that only the card encodes, while it is suspended.
 */
export function chooseEncoder(codec: ExtraCodec, now = Date.now()): CodecEncoder {
  if (codec === "av1") return { codec, hardware: "off" };
  const hardware = chosenHardware(now);
  if (hardware === "off") throw new HardwareSuspendedError(suspension().until - now);
  return { codec, hardware };
}

/** Returns the encoder of a codec with its options, for what x264 would make with `picture`. */
export function extraArguments({ codec, hardware }: CodecEncoder, picture: Picture): string[] {
  const maxBitrate = Math.round(picture.maxBitrate * MAX_SHARE_OF_H264);
  if (codec === "hevc") {
    const args = pictureArguments(hardware, { ...picture, maxBitrate });
    const other = args.map((value) => value.replace(/^h264_/, "hevc_"));
    return [...other.map((value) => (value === "high" ? "main" : value)), "-tag:v", "hvc1"];
  }
  const { bufferSeconds = 2, keyframeEvery, crf } = picture;
  const quality = Math.round(AV1_QUALITY + (crf - QUALITY) * AV1_STEPS);
  return [
    ...["-c:v", "libsvtav1", "-preset", String(AV1_PRESET), "-crf", String(quality)],
    ...["-maxrate", String(maxBitrate), "-bufsize", String(maxBitrate * bufferSeconds)],
    // It knows no scene cuts of its own: keyframes are where they are wanted and nowhere else.
    ...(keyframeEvery ? ["-g", String(keyframeEvery)] : []),
    ...["-svtav1-params", `lp=${threads()}`],
  ];
}
