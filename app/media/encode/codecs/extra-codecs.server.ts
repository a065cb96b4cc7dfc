import { settings } from "~/platform/settings.server";
import { EXTRA_CODECS, type ExtraCodec } from "~/shared/streams/codecs";
import { hasEncoder } from "../../probe/ffmpeg.server";
import {
  type Card,
  type Picture,
  pictureArguments,
  requireHardware,
  threads,
} from "../encoders.server";

/** Of SVT-AV1, whose names are numbers: 45 % fewer bits than x264's `veryfast` at the same quality. */
const AV1_PRESET = 8;
/** SVT-AV1's quality that looks like x264's 23, and its steps for one of x264's. */
const AV1_QUALITY = 35;
const AV1_STEPS = 1.5;
/** Of the bits that H.264 may take at its busiest. */
const AT_MOST = 0.7;

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
  for (const sentence of codecsSwitchedOff()) console.warn(`ENCODER_CODECS: ${sentence}`);
}

/** What encodes a codec in one attempt. The device, the last filter and the encoder all follow from it. */
export type CodecEncoder = { codec: "av1"; hardware: "off" } | { codec: "hevc"; hardware: Card };

/**
 * Chooses what encodes a codec, once for each attempt: the card may be suspended in the middle of one.
 *
 * @throws {HardwareSuspendedError} for a codec that only the card encodes, while it is suspended.
 */
export function chooseEncoder(codec: ExtraCodec, now = Date.now()): CodecEncoder {
  return codec === "av1" ? { codec, hardware: "off" } : { codec, hardware: requireHardware(now) };
}

/** Returns the encoder of a codec with its options, for what x264 would make with `picture`. */
export function extraArguments({ codec, hardware }: CodecEncoder, picture: Picture): string[] {
  const maxBitrate = Math.round(picture.maxBitrate * AT_MOST);
  if (codec === "hevc") {
    const args = pictureArguments(hardware, { ...picture, maxBitrate });
    const other = args.map((value) => value.replace(/^h264_/, "hevc_"));
    return [...other.map((value) => (value === "high" ? "main" : value)), "-tag:v", "hvc1"];
  }
  const { bufferSeconds = 2, keyframeEvery, crf } = picture;
  const quality = Math.round(AV1_QUALITY + (crf - 23) * AV1_STEPS);
  return [
    ...["-c:v", "libsvtav1", "-preset", String(AV1_PRESET), "-crf", String(quality)],
    ...["-maxrate", String(maxBitrate), "-bufsize", String(maxBitrate * bufferSeconds)],
    // It knows no scene cuts of its own: keyframes are where they are wanted and nowhere else.
    ...(keyframeEvery ? ["-g", String(keyframeEvery)] : []),
    ...["-svtav1-params", `lp=${threads()}`],
  ];
}
