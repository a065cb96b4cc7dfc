import { withSkeleton } from "../ogg-skeleton";
import type { Kind } from "./kinds";

const H264 = "-c:v libx264 -preset ultrafast -g 25 -pix_fmt yuv420p -c:a aac";
const FAST = `${H264} -movflags +faststart`;
const KEY = "76a6c65c5ea762046bd749a2e632ccbb";
const CENC = `-encryption_scheme cenc-aes-ctr -encryption_key ${KEY} -encryption_kid ${KEY}`;

const ASKED = /^The file is incomplete: it has only 0:0\d of 0:0[23]\.$/;
const NOT_A_VIDEO = /is not a video|supported video/;
const INDEX_MISSING = /^The file is incomplete and can/;
const ENCRYPTED = /^This video is encrypted \(DRM\)/;
const NO_VIDEO_TRACK = /has no video track|supported video/;

const cut = (share: number) => (bytes: Buffer) => bytes.subarray(0, bytes.length * share);

/** Up to the index, which stands behind the pictures. */
const withoutIndex = (bytes: Buffer) => bytes.subarray(0, bytes.indexOf("moov", 0, "latin1") - 4);

/** One text of the header in place of another of the same length. */
function patch(from: string, to: string): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const at = bytes.indexOf(from, 0, "latin1");
    if (at < 0) throw new Error(`There is no ${from}.`);
    const other = Buffer.from(bytes);
    other.write(to, at, "latin1");
    return other;
  };
}

/** Some bits of the second half, always the same. */
function flipped(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  for (let index = 1; index <= 20; index++) {
    const at = Math.floor(bytes.length * (0.5 + index * 0.02));
    other[at] = other[at]! ^ (1 << (index % 8));
  }
  return other;
}

const shared = { group: "Damaged", hasPicture: false, hasSound: false } as const;
const kind = (
  name: string,
  as: string,
  encode: string,
  outcome: Kind["outcome"],
  more: Partial<Kind> = {},
): Kind => ({ ...shared, name, as, encode, outcome, ...more });

const cutOff = (name: string, as: string, encode: string) =>
  kind(`${name}, cut off in the middle`, as, encode, "asked", {
    damage: cut(0.6),
    message: ASKED,
  });
const refused = (name: string, as: string, encode: string, message: RegExp, more = {}) =>
  kind(name, as, encode, "refused", { message, ...more });
const bytesOf = (name: string, as: string, content: Buffer | string, message: RegExp) =>
  refused(name, as, "", message, { content: Buffer.from(content), group: "No video" });

const MPEG4 = "-c:v mpeg4 -g 25 -c:a libmp3lame";
const WMV = "-c:v wmv2 -g 25 -c:a wmav2";

/** Files that lack something, that hide something, and what is no video at all. */
export const DAMAGED: Kind[] = [
  cutOff("MP4, index in front", "mp4", FAST),
  cutOff("MOV, index in front", "mov", FAST),
  cutOff("Matroska", "mkv", H264),
  cutOff("AVI", "avi", MPEG4),
  cutOff("Flash", "flv", H264),
  cutOff("Windows Media", "wmv", WMV),
  cutOff("MXF", "mxf", "-c:v mpeg2video -c:a pcm_s16le -ar 48000"),
  kind("MP4, its last bytes missing", "mp4", FAST, "as it is", {
    damage: (bytes) => bytes.subarray(0, -16),
  }),
  kind("Transport stream, cut off", "ts", H264, "prepared", { damage: cut(0.6), seconds: 1.8 }),
  kind("MP4 with bits flipped", "mp4", FAST, "as it is", { damage: flipped }),
  kind("Matroska with bits flipped", "mkv", H264, "prepared", { damage: flipped }),
  kind("AVI with bits flipped", "avi", MPEG4, "prepared", { damage: flipped }),
  kind("Transport stream with bits flipped", "ts", H264, "prepared", { damage: flipped }),
  kind("Ogg with a Skeleton", "ogv", "-c:v libtheora -c:a libvorbis", "prepared", {
    damage: withSkeleton,
    group: "Ogg",
    hasPicture: true,
  }),
  refused("MP4, index behind and cut off", "mp4", H264, INDEX_MISSING, { damage: withoutIndex }),
  refused("MOV, index behind and cut off", "mov", H264, INDEX_MISSING, { damage: withoutIndex }),
  refused("MP4, cut off inside its index", "mp4", FAST, INDEX_MISSING, { damage: cut(0.004) }),
  ...[
    ["MP4 by Common Encryption", (bytes: Buffer) => bytes],
    ["MP4 by Common Encryption, cbcs", patch("cenc", "cbcs")],
    ["MP4 with an encrypted picture", patch("enca", "mp4a")],
    ["MP4 with encrypted sound", patch("encv", "avc1")],
  ].map(([name, damage]) =>
    refused(name as string, "mp4", `${FAST} ${CENC}`, ENCRYPTED, { damage, group: "Encrypted" }),
  ),
  refused("MP4 by FairPlay", "mp4", FAST, ENCRYPTED, {
    damage: patch("avc1\0", "drmi\0"),
    group: "Encrypted",
  }),
  refused("VVC", "mp4", FAST, /VVC \(H\.266\)/, { damage: patch("avc1\0", "vvc1\0") }),
  refused("An unknown format", "mp4", FAST, /an unsupported codec/, {
    damage: patch("avc1\0", "abcd\0"),
  }),
  refused("8 × 8 pixels", "mkv", "-c:v ffv1 -an", /too large or too small/, {
    picture: "scale=8:8",
  }),
  refused("9000 × 16 pixels", "mkv", "-c:v ffv1 -an", /too large or too small/, {
    picture: "scale=9000:16",
  }),
  refused("Sound alone in MP4", "mp4", "-map 1 -c:a aac", NO_VIDEO_TRACK),
  refused("Sound alone in Windows Media", "wma", "-map 1 -c:a wmav2", NO_VIDEO_TRACK),
  refused("Sound alone in Ogg", "ogg", "-map 1 -c:a libvorbis", NO_VIDEO_TRACK),
  refused("H.264 without a container", "h264", "-c:v libx264 -an", NOT_A_VIDEO),
  refused("IVF", "ivf", "-c:v libvpx -deadline realtime -an", NOT_A_VIDEO),
  refused("Animated GIF", "gif", "-an", NOT_A_VIDEO),
  refused("Real Media", "rm", "-c:v rv20 -c:a ac3", NOT_A_VIDEO, { picture: "scale=176:144" }),
  refused("NUT", "nut", "-c:v mpeg4 -an", NOT_A_VIDEO),
  refused("MP3", "mp3", "-map 1", NOT_A_VIDEO),
  refused("WAV", "wav", "-map 1", NOT_A_VIDEO),
  bytesOf("An empty file", "mp4", "", /^This file is empty\.$/),
  bytesOf("A text", "mp4", "not a video\n".repeat(400), NOT_A_VIDEO),
  bytesOf("A playlist", "mp4", "#EXTM3U\n#EXTINF:2,\nfile:/etc/passwd\n", NOT_A_VIDEO),
  bytesOf("A list of files", "mp4", "ffconcat version 1.0\nfile /etc/passwd\n", NOT_A_VIDEO),
  bytesOf("A web page", "mp4", "<!doctype html><title>x</title>", NOT_A_VIDEO),
  bytesOf("An archive", "mp4", Buffer.from("504b0304140000000000", "hex"), NOT_A_VIDEO),
  bytesOf(
    "A program",
    "mp4",
    Buffer.concat([Buffer.from("7f454c46", "hex"), Buffer.alloc(5_000)]),
    NOT_A_VIDEO,
  ),
  bytesOf("Zeros", "mp4", Buffer.alloc(50_000), NOT_A_VIDEO),
];
