import { withSkeleton } from "../ogg-skeleton";
import type { Kind } from "./kinds";

const H264 = "-c:v libx264 -preset ultrafast -g 25 -pix_fmt yuv420p -c:a aac";
const FAST = `${H264} -movflags +faststart`;
const KEY = "76a6c65c5ea762046bd749a2e632ccbb";
const CENC = `-encryption_scheme cenc-aes-ctr -encryption_key ${KEY} -encryption_kid ${KEY}`;

const INCOMPLETE = /^The file is incomplete: it has only 0:0\d of 0:0[23]\.$/;
const NOT_A_VIDEO = /is not a video|supported video/;
const INDEX_MISSING = /^The file is incomplete and can/;
const ENCRYPTED = /^This video is encrypted \(DRM\)/;
const NO_VIDEO_TRACK = /has no video track|supported video/;

const truncate = (share: number) => (bytes: Buffer) => bytes.subarray(0, bytes.length * share);

/** Cuts off the index, which comes after the media data. */
const withoutIndex = (bytes: Buffer) => bytes.subarray(0, bytes.indexOf("moov", 0, "latin1") - 4);

/** Replaces the first occurrence of a string with another string of the same length. */
function patch(from: string, to: string): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const at = bytes.indexOf(from, 0, "latin1");
    if (at < 0) throw new Error(`The file doesn't contain ${from}.`);
    const other = Buffer.from(bytes);
    other.write(to, at, "latin1");
    return other;
  };
}

/** Flips some bits in the second half. Every call flips the same bits. */
function flipBits(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  for (let index = 1; index <= 20; index++) {
    const at = Math.floor(bytes.length * (0.5 + index * 0.02));
    other[at] = other[at]! ^ (1 << (index % 8));
  }
  return other;
}

const shared = { group: "Damaged", hasLumaSteps: false, hasBeep: false } as const;
const kind = (
  name: string,
  extension: string,
  encode: string,
  outcome: Kind["outcome"],
  more: Partial<Kind> = {},
): Kind => ({ ...shared, name, extension, encode, outcome, ...more });

const truncated = (name: string, extension: string, encode: string) =>
  kind(`${name}, truncated in the middle`, extension, encode, "incomplete", {
    damage: truncate(0.6),
    message: INCOMPLETE,
  });
const refused = (name: string, extension: string, encode: string, message: RegExp, more = {}) =>
  kind(name, extension, encode, "refused", { message, ...more });
const otherFile = (name: string, extension: string, content: Buffer | string, message: RegExp) =>
  refused(name, extension, "", message, { content: Buffer.from(content), group: "No video" });

const MPEG4 = "-c:v mpeg4 -g 25 -c:a libmp3lame";
const WMV = "-c:v wmv2 -g 25 -c:a wmav2";

/** Incomplete, damaged and encrypted videos, and files that aren't videos. */
export const DAMAGED: Kind[] = [
  truncated("MP4, index at the front", "mp4", FAST),
  truncated("MOV, index at the front", "mov", FAST),
  truncated("Matroska", "mkv", H264),
  truncated("AVI", "avi", MPEG4),
  truncated("Flash", "flv", H264),
  truncated("Windows Media", "wmv", WMV),
  truncated("MXF", "mxf", "-c:v mpeg2video -c:a pcm_s16le -ar 48000"),
  kind("MP4 without its last bytes", "mp4", FAST, "played as is", {
    damage: (bytes) => bytes.subarray(0, -16),
  }),
  kind("Transport stream, truncated", "ts", H264, "converted", {
    damage: truncate(0.6),
    seconds: 1.8,
  }),
  kind("MP4 with bits flipped", "mp4", FAST, "played as is", { damage: flipBits }),
  kind("Matroska with bits flipped", "mkv", H264, "converted", { damage: flipBits }),
  kind("AVI with bits flipped", "avi", MPEG4, "converted", { damage: flipBits }),
  kind("Transport stream with bits flipped", "ts", H264, "converted", { damage: flipBits }),
  kind("Ogg with a Skeleton", "ogv", "-c:v libtheora -c:a libvorbis", "converted", {
    damage: withSkeleton,
    group: "Ogg",
    hasLumaSteps: true,
  }),
  refused("MP4, without the index at its end", "mp4", H264, INDEX_MISSING, {
    damage: withoutIndex,
  }),
  refused("MOV, without the index at its end", "mov", H264, INDEX_MISSING, {
    damage: withoutIndex,
  }),
  refused("MP4, truncated inside its index", "mp4", FAST, INDEX_MISSING, {
    damage: truncate(0.004),
  }),
  ...[
    ["MP4 with Common Encryption", (bytes: Buffer) => bytes],
    ["MP4 with Common Encryption, cbcs", patch("cenc", "cbcs")],
    ["MP4 with encrypted video", patch("enca", "mp4a")],
    ["MP4 with encrypted audio", patch("encv", "avc1")],
  ].map(([name, damage]) =>
    refused(name as string, "mp4", `${FAST} ${CENC}`, ENCRYPTED, { damage, group: "Encrypted" }),
  ),
  refused("MP4 with FairPlay", "mp4", FAST, ENCRYPTED, {
    damage: patch("avc1\0", "drmi\0"),
    group: "Encrypted",
  }),
  refused("VVC", "mp4", FAST, /VVC \(H\.266\)/, { damage: patch("avc1\0", "vvc1\0") }),
  refused("An unknown codec", "mp4", FAST, /an unsupported codec/, {
    damage: patch("avc1\0", "abcd\0"),
  }),
  refused("8 × 8 pixels", "mkv", "-c:v ffv1 -an", /too large or too small/, {
    videoFilter: "scale=8:8",
  }),
  refused("9000 × 16 pixels", "mkv", "-c:v ffv1 -an", /too large or too small/, {
    videoFilter: "scale=9000:16",
  }),
  refused("Only audio in MP4", "mp4", "-map 1 -c:a aac", NO_VIDEO_TRACK),
  refused("Only audio in Windows Media", "wma", "-map 1 -c:a wmav2", NO_VIDEO_TRACK),
  refused("Only audio in Ogg", "ogg", "-map 1 -c:a libvorbis", NO_VIDEO_TRACK),
  refused("H.264 without a container", "h264", "-c:v libx264 -an", NOT_A_VIDEO),
  refused("IVF", "ivf", "-c:v libvpx -deadline realtime -an", NOT_A_VIDEO),
  refused("Animated GIF", "gif", "-an", NOT_A_VIDEO),
  refused("Real Media", "rm", "-c:v rv20 -c:a ac3", NOT_A_VIDEO, { videoFilter: "scale=176:144" }),
  refused("NUT", "nut", "-c:v mpeg4 -an", NOT_A_VIDEO),
  refused("MP3", "mp3", "-map 1", NOT_A_VIDEO),
  refused("WAV", "wav", "-map 1", NOT_A_VIDEO),
  otherFile("An empty file", "mp4", "", /^This file is empty\.$/),
  otherFile("Text", "mp4", "not a video\n".repeat(400), NOT_A_VIDEO),
  otherFile("A playlist", "mp4", "#EXTM3U\n#EXTINF:2,\nfile:/etc/passwd\n", NOT_A_VIDEO),
  otherFile("A list of files", "mp4", "ffconcat version 1.0\nfile /etc/passwd\n", NOT_A_VIDEO),
  otherFile("A web page", "mp4", "<!doctype html><title>x</title>", NOT_A_VIDEO),
  otherFile("An archive", "mp4", Buffer.from("504b0304140000000000", "hex"), NOT_A_VIDEO),
  otherFile(
    "An executable",
    "mp4",
    Buffer.concat([Buffer.from("7f454c46", "hex"), Buffer.alloc(5_000)]),
    NOT_A_VIDEO,
  ),
  otherFile("Zeros", "mp4", Buffer.alloc(50_000), NOT_A_VIDEO),
];
