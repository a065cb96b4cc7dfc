import os from "node:os";
import { settings } from "~/platform/settings.server";
import { EXTRA_CODECS, type ExtraCodec } from "~/shared/streams/codecs";
import { processState } from "~db/runtime.server";
import { hasEncoder, InterruptedError } from "../probe/ffmpeg.server";
import { type Probe, timestampsJump } from "../probe/probe.server";
import { EncodeError } from "./task.server";

export type Hardware = "off" | "vaapi" | "nvenc" | "qsv";
type HardwareEncoder = Exclude<Hardware, "off">;

/** How long software encoders are used after the hardware encoder fails. */
const SUSPENSION_MS = 10 * 60_000;
const suspension = processState("encoder suspension", () => ({ until: 0 }));

/** Returns the hardware encoder to use now: the configured one, or `off` while it is suspended. */
export function activeHardware(now = Date.now()): Hardware {
  return now < suspension().until ? "off" : settings().encoderHardware;
}

/** Thrown if a codec that only hardware can encode has to wait because the hardware encoder is suspended. */
export class HardwareSuspendedError extends Error {
  constructor(readonly remainingMs: number) {
    super("Hardware encoding is suspended after a failure.");
  }
}

/** Switches to software encoding after the hardware encoder has failed, and logs the failure. */
export function suspendHardware(hardware: Hardware, reason: string, now = Date.now()): void {
  suspension().until = now + SUSPENSION_MS;
  console.warn(
    `Hardware encoding with ${hardware} failed (${reason}). Using software encoding for the next ${SUSPENSION_MS / 60_000} minutes.`,
  );
}

/**
 * The maximum number of threads for a decoder, an encoder or the filters. Each rendition has a separate encoder, and
 * each encoder thread needs memory for frames, a stack and a malloc arena. With 48 threads, encoding the ladder
 * exceeded ffmpeg's memory limit (probe/ffmpeg.server.ts). With 8 threads, a ladder up to 2160p takes 4 of the 6 GiB.
 */
const MAX_THREADS = 8;

/** Returns the number of threads that a decoder, an encoder or the filters may use. */
export function threads(): number {
  return Math.min(settings().encoderThreads || os.availableParallelism(), MAX_THREADS);
}

/** The ladder's version. Increment it when a change to the ladder makes it worth re-encoding all videos. */
const LADDER_VERSION = 1;

/**
 * Returns the settings with which streams are currently encoded. They are also stored with each stream: if the stored
 * ones differ, re-encoding the stream is worthwhile; see `reencodeOutdatedStreams`.
 *
 * @example ladderSettings() // "1 off auto 1080"
 */
export function ladderSettings(): string {
  const { encoderHardware, encoderPreset, encoderMaxHeight } = settings();
  return [LADDER_VERSION, encoderHardware, encoderPreset, encoderMaxHeight].join(" ");
}

/** `urgent`: someone is waiting for the result. `idle`: no other job is waiting. */
export type Pace = "urgent" | "usual" | "idle";

const USUAL_PRESET = "veryfast";
/** The preset for idle queues, which takes 1.77 times the CPU time for a 25% lower bitrate. */
const IDLE_PRESET = "medium";

/** Returns x264's preset: the configured one, or one that depends on whether other jobs are waiting. */
export function presetFor(pace: Pace): string {
  const { encoderPreset } = settings();
  if (encoderPreset !== "auto") return encoderPreset;
  return pace === "idle" ? IDLE_PRESET : USUAL_PRESET;
}

/**
 * Tunes x264 for SSIM, the metric used to compare settings. This disables psychovisual optimizations, which invent
 * detail.
 */
const TUNE = "ssim";

/** x264's CRF for a stream's renditions. */
export const QUALITY = 23;

/** How a video stream is encoded. */
export interface VideoEncoding {
  maxBitrate: number;
  /** The size of the rate control buffer, in seconds at the maximum bitrate. */
  bufferSeconds?: number;
  /** The number of frames between keyframes; omitted if it doesn't matter. */
  keyframeInterval?: number;
  /** x264's CRF; lower means better quality. Hardware encoders use a bitrate instead. */
  crf: number;
  /** x264's preset; by default, the one for busy queues. */
  preset?: string;
}

/** Returns the ffmpeg options that select a hardware device. They have to precede the inputs. */
export function deviceArguments(hardware: Hardware): string[] {
  if (hardware === "vaapi") return ["-vaapi_device", "/dev/dri/renderD128"];
  if (hardware === "qsv") return ["-init_hw_device", "qsv=card", "-filter_hw_device", "card"];
  return [];
}

/** Returns the last filter before the encoder, which uploads frames to the GPU if necessary. */
export function uploadFilter(hardware: Hardware): string {
  if (hardware === "vaapi") return "format=nv12,hwupload";
  if (hardware === "qsv") return "format=nv12,hwupload=extra_hw_frames=64";
  return "format=yuv420p";
}

/** Returns the options for H.264 High with a maximum bitrate and a fixed keyframe interval. */
export function videoArguments(hardware: Hardware, video: VideoEncoding): string[] {
  const {
    maxBitrate,
    bufferSeconds = 2,
    keyframeInterval,
    crf,
    preset = presetFor("usual"),
  } = video;
  const within = ["-maxrate", String(maxBitrate), "-bufsize", String(maxBitrate * bufferSeconds)];
  const keyframes = keyframeInterval
    ? ["-g", String(keyframeInterval), "-force_key_frames", `expr:not(mod(n,${keyframeInterval}))`]
    : [];
  if (hardware !== "off") {
    const rate = ["-b:v", String(Math.round(maxBitrate * 0.75)), ...within];
    return ["-c:v", `h264_${hardware}`, "-profile:v", "high", ...rate, ...keyframes];
  }
  return [
    ...["-c:v", "libx264", "-preset", preset, "-profile:v", "high"],
    ...["-tune", TUNE, "-crf", String(crf), ...within, "-threads", String(threads())],
    ...keyframes,
    ...(keyframeInterval ? ["-keyint_min", String(keyframeInterval), "-sc_threshold", "0"] : []),
  ];
}

/** Returns the options for AAC-LC with stereo audio at 48 kHz. */
export function audioArguments(bitrate: number): string[] {
  return ["-c:a", "aac", "-b:a", String(bitrate), "-ac", "2", "-ar", "48000"];
}

/**
 * Returns the filter that keeps audio in sync with video: it inserts silence where the audio starts late, has gaps or
 * ends early, and cuts the audio off after the last frame. Stream players stall permanently if either the audio or the
 * video ends first.
 *
 * @param seconds the time at which the last frame ends.
 */
export function audioSyncFilter(probe: Probe, seconds = probe.durationSeconds): string {
  const end = seconds.toFixed(6);
  // ffmpeg recreates the filters when the format changes. The new filters must not insert silence starting at 0.
  const fillsStart =
    !timestampsJump(probe) || probe.audioTracks.some(({ startsLate }) => startsLate);
  const start = fillsStart ? ":first_pts=0" : "";
  return `aresample=48000:async=1${start},apad=whole_dur=${end},atrim=end=${end}`;
}

/** Encodes with hardware, and falls back to software if that fails, so that no job fails because of the hardware. */
export async function withSoftware<T>(
  hardware: Hardware,
  encode: (hardware: Hardware) => Promise<T>,
): Promise<T> {
  try {
    return await encode(hardware);
  } catch (error) {
    // A driver that crashes or hangs takes ffmpeg down with it.
    const isInterrupted = error instanceof InterruptedError && error.code !== "ENOSPC";
    if (hardware === "off" || !(isInterrupted || error instanceof EncodeError)) throw error;
    const lastLine = error instanceof EncodeError ? error.lines.at(-1) : undefined;
    suspendHardware(hardware, lastLine ?? error.message);
    return encode("off");
  }
}

/** SVT-AV1's preset. It yields a 45% lower bitrate than x264's `veryfast` at the same quality. */
const AV1_PRESET = 8;
/** The SVT-AV1 CRF that gives the same quality as x264's `QUALITY`, and the number of SVT-AV1 steps per x264 step. */
const AV1_QUALITY = 35;
const AV1_STEPS = 1.5;
/** The maximum bitrate for other codecs, as a share of H.264's. */
const MAX_SHARE_OF_H264 = 0.7;

/** Returns the encoder for a codec, or a log message explaining why there is none. */
function encoderOf(codec: ExtraCodec): { encoder: string } | { reason: string } {
  const { encoderHardware } = settings();
  const { label } = EXTRA_CODECS[codec];
  if (codec === "hevc" && encoderHardware === "off") {
    return { reason: `${label} requires hardware encoding, and ENCODER_HARDWARE is off` };
  }
  const encoder = codec === "av1" ? "libsvtav1" : `hevc_${encoderHardware}`;
  if (!hasEncoder(encoder)) return { reason: `this ffmpeg build lacks the encoder ${encoder}` };
  return { encoder };
}

function configuredCodecs(): ExtraCodec[] {
  return settings().encoderCodecs.filter((codec) => codec !== "h264");
}

/** Returns the configured codecs, other than H.264, that this machine can encode. */
export function extraCodecs(): ExtraCodec[] {
  return configuredCodecs().filter((codec) => "encoder" in encoderOf(codec));
}

/** Returns a message for each configured codec that this machine can't encode. */
export function disabledCodecs(): string[] {
  return configuredCodecs().flatMap((codec) => {
    const found = encoderOf(codec);
    if ("encoder" in found) return [];
    return [`${EXTRA_CODECS[codec].label} is disabled: ${found.reason}.`];
  });
}

/** Logs the codecs that are configured but unavailable. */
export function logDisabledCodecs(): void {
  for (const message of disabledCodecs()) console.warn(`ENCODER_CODECS: ${message}`);
}

/** The encoder for one attempt. The device, the last filter and the encoder options depend on it. */
export type CodecEncoder =
  | { codec: "av1"; hardware: "off" }
  | { codec: "hevc"; hardware: HardwareEncoder };

/**
 * Chooses the encoder for a codec, once per attempt, because hardware may be suspended during an attempt.
 *
 * @throws {HardwareSuspendedError} if only hardware can encode the codec and the hardware encoder is suspended.
 */
export function chooseEncoder(codec: ExtraCodec, now = Date.now()): CodecEncoder {
  if (codec === "av1") return { codec, hardware: "off" };
  const hardware = activeHardware(now);
  if (hardware === "off") throw new HardwareSuspendedError(suspension().until - now);
  return { codec, hardware };
}

/** Returns the encoder options that give the same quality as x264 with the given settings. */
export function extraCodecArguments(
  { codec, hardware }: CodecEncoder,
  video: VideoEncoding,
): string[] {
  const maxBitrate = Math.round(video.maxBitrate * MAX_SHARE_OF_H264);
  if (codec === "hevc") {
    const args = videoArguments(hardware, { ...video, maxBitrate });
    const other = args.map((value) => value.replace(/^h264_/, "hevc_"));
    return [...other.map((value) => (value === "high" ? "main" : value)), "-tag:v", "hvc1"];
  }
  const { bufferSeconds = 2, keyframeInterval, crf } = video;
  const quality = Math.round(AV1_QUALITY + (crf - QUALITY) * AV1_STEPS);
  return [
    ...["-c:v", "libsvtav1", "-preset", String(AV1_PRESET), "-crf", String(quality)],
    ...["-maxrate", String(maxBitrate), "-bufsize", String(maxBitrate * bufferSeconds)],
    // SVT-AV1 doesn't insert keyframes at scene cuts, so the keyframe interval is fixed.
    ...(keyframeInterval ? ["-g", String(keyframeInterval)] : []),
    ...["-svtav1-params", `lp=${threads()}`],
  ];
}
