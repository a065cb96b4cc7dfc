import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {
  readSegments,
  readTarget,
  renditionNames,
} from "~/features/processing/kinds/add-codecs.server";
import { parseSummary } from "~/features/processing/kinds/loudness.server";
import { streamStart } from "~/features/watch/stream-start.server";
import { CaptionsLimitError, convertCaptions, readCues, writeWebvtt } from "~/media/captions/cues";
import { captionsLabel, languageTag } from "~/media/captions/languages";
import { receiveMultipart } from "~/media/intake/multipart.server";
import { requireImage, videoExtension } from "~/media/intake/sniff.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { readMp4Layout } from "~/media/probe/mp4-boxes.server";
import { settings } from "~/platform/settings.server";
import { parseUrl } from "~/shared/addresses";
import { parseStoryboard } from "~/shared/streams/storyboard";
import { assertTrue, ignoring, type Target, words } from "./target";

const CUE_WORDS = words(
  "--> 00:00:01,000 00:00:01.000 1 \n \r\n <i> </i> <font {\\an8} &amp; & < > WEBVTT NOTE STYLE line:0 align:start m 0 0 l \ufeff",
);
const HLS = [
  "#EXTM3U\n#EXT-X-VERSION:7",
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="English",DEFAULT=YES,URI="sound.m3u8"',
  '#EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=640x360,AUDIO="stereo"\n360p.m3u8',
  "",
].join("\n");
const MEDIA_PLAYLIST = [
  '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI="360p.mp4",BYTERANGE="700@0"',
  "#EXTINF:4.000000,\n#EXT-X-BYTERANGE:1000@700\n360p.mp4",
  "#EXT-X-ENDLIST\n",
].join("\n");
const FFMPEG_OUTPUTS = [
  "[Parsed_ebur128_0 @ 0x1] Summary:\n\n  Integrated loudness:\n    I:         -23.0 LUFS\n\n  True peak:\n    Peak:       -1.2 dBFS",
  "[libx264 @ 0x1] kb/s:512.34\n[libx264 @ 0x1] SSIM Mean Y:0.9812345 (17.2db)\n[ssim@360p @ 0x1] SSIM Y:0.98 All:0.987654 (19.1)",
];
const BOUNDARY = "x-b";
const MULTIPART = [
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="title"\r\n\r\nA walk\r\n`,
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n`,
].join("");

/** Returns the bytes of an MP4 box: its length, type and content. */
function box(type: string, ...inside: string[]): string {
  const body = inside.join("");
  const length = 8 + body.length;
  return (
    String.fromCharCode(length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255) +
    type +
    body
  );
}
const ENTRIES = box("stsd", "\0\0\0\0\0\0\0\x01", box("avc1", "\0".repeat(20)));
const MOOV = box(
  "moov",
  box("mvhd", "\0".repeat(20)),
  box("trak", box("mdia", box("minf", box("stbl", ENTRIES)))),
);
const MP4 = [
  box("ftyp", "isom\0\0\x02\0isomiso2mp41") + MOOV + box("mdat", "abc"),
  box("ftyp", "qt  \0\0\0\0") + box("mdat", "x".repeat(40)) + MOOV,
  box("ftyp", "iso5") + MOOV + box("moof", box("mfhd", "\0\0\0\0")) + box("mdat", "y"),
];
const FILE_HEADERS = [
  ...MP4,
  "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x88matroska",
  "RIFF\0\0\x10\0AVI LIST",
  "RIFF\0\0\x10\0WEBPVP8 ",
  "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
  "\xff\xd8\xff\xe0\0\x10JFIF",
  "GIF89a\x01\0",
  `OggS\0\x02${"\0".repeat(20)}\x01*\x80theora`,
  `G${"\0".repeat(187)}`.repeat(3),
  "FLV\x01\x05",
  "\0\0\x01\xba!",
  "0&\xb2u\x8ef\xcf\x11\xa6\xd9\0\xaa\0b\xcel",
  "ID3\x03\0\0\0\0\0\x7f",
  "PK\x03\x04\x14\0",
  "\x1f\x8b\b\0",
  "<?xml version='1.0'?><svg/>",
];
const BINARY_WORDS = [
  ...words(
    "moov mdat ftyp moof trak stsd free uuid encv \0\0\0\0 \0\0\0\x01 \x7f\xff\xff\xff \xff\xff\xff\xff",
  ),
  "\0\0\0\b",
  "\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff",
  "\0\0\0\x01mdat\0\0\0\0\0\0\0\x10",
];

const latin1 = (text: string) => Buffer.from(text, "latin1");
const bytesOf = (text: string, isUtf8: boolean) => (isUtf8 ? Buffer.from(text) : latin1(text));

function temporaryFile(name: string, content: Buffer | string): string {
  const file = path.join(settings().uploadsDir, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
}

const temporaryFiles = () =>
  fs
    .readdirSync(path.join(settings().uploadsDir, "tmp"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());

/** Parsers for uploaded files and for ffmpeg's output about them. */
export const FILES: readonly Target[] = [
  {
    name: "captions",
    corpus: [
      '1\n00:00:01,000 --> 00:00:02,500\nHello <i>there</i> & <font color="red">you</font>\n\n2\n00:00:03,000 --> 00:00:04,000\n{\\an8}Bye',
      "WEBVTT - x\n\nSTYLE\n::cue{}\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 align:start line:0\n<v Ann>Hi</v> &lt;\n",
      "\ufeff1\r\n0:00:01.0 --> 0:00:02.0\r\nm 0 0 l 100 0 100 100\r\n\r\n",
    ],
    words: CUE_WORDS,
    maxLength: 100_000,
    // The input is parsed in a worker thread.
    maxMs: 1_000,
    feed(input, random) {
      const bytes = random.chance(0.1)
        ? Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(input, "utf16le")])
        : bytesOf(input, random.chance(0.8));
      const origin = random.pick(["added", "extracted"] as const);
      const webvtt = ignoring(CaptionsLimitError, () => convertCaptions(bytes, origin));
      if (webvtt === undefined) return;
      // Escaping may make a line too long to be parsed again.
      const cues = ignoring(CaptionsLimitError, () => readCues(webvtt));
      if (!cues) return;
      assertTrue(cues.length > 0);
      assertTrue(cues.every(({ start, end }) => start >= 0 && end >= start));
      assert.equal(writeWebvtt(cues), webvtt, "not the same after a round trip");
    },
  },
  {
    name: "track languages",
    corpus: ["ger", "en-US", "zh_Hant", "English (SDH)", "x-private"],
    words: words("- _ en und x- u-ca- \0 ( ) forced"),
    maxLength: 5_000,
    feed(input) {
      const tag = languageTag(input);
      assert.equal(languageTag(tag), tag);
      const stream = { language: input, title: input, forced: true, hearingImpaired: false };
      assertTrue(captionsLabel(stream as Parameters<typeof captionsLabel>[0]).length > 0);
    },
  },
  {
    name: "storyboards",
    corpus: [
      "WEBVTT\n\n00:00.000 --> 00:05.000\nsheet-1.webp#xywh=0,0,160,90\n\n00:05.000 --> 00:10.000\nsheet-1.webp#xywh=pixel:160,0,160,90\n",
    ],
    words: words("--> #xywh= pixel: , \n \n\n 00:00.000 http://[ // 0,0,0,0"),
    maxLength: 100_000,
    feed(input) {
      for (const { start, width, height, sheet } of parseStoryboard(
        input,
        "https://site.example/media/x.vtt",
      )) {
        assertTrue(start >= 0 && width > 0 && height > 0);
        assertTrue(parseUrl(sheet));
      }
    },
  },
  {
    name: "playlists",
    corpus: [HLS, MEDIA_PLAYLIST, HLS + MEDIA_PLAYLIST],
    words: words(
      '#EXTINF: #EXT-X-STREAM-INF: #EXT-X-MAP:URI=" RESOLUTION=1x1 \n \r\n , " CODECS="avc1. @ .. / 360p.m3u8 #EXT-X-BYTERANGE:1@1',
    ),
    maxLength: 50_000,
    share: 0.3,
    async feed(input) {
      for (const { duration, bytes, offset } of readSegments(input)) {
        assertTrue(bytes >= 0 && offset >= 0 && !(duration < 0));
      }
      readTarget(input);
      assertTrue(renditionNames(input).every((name) => /^\w+$/.test(name)));
      for (const name of ["master.m3u8", "360p.m3u8", "sound.m3u8"])
        temporaryFile(`videos/u/1/hls/${name}`, input);
      const start = await streamStart("/media/videos/u/1/hls/master.m3u8");
      if (start) assert.match(start.segmentUrl, /^\/media\/videos\/u\/1\/hls\/[\w.-]+$/);
    },
  },
  {
    name: "ffmpeg output",
    corpus: FFMPEG_OUTPUTS,
    words: words("Summary: I: LUFS Peak: dBFS -inf nan All: \n"),
    maxLength: 50_000,
    feed(input) {
      // Limits the number of lines and their length, as `runFfmpeg` does.
      const printed = input.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.slice(0, 500));
      const lines = printed.slice(-100);
      const measured = parseSummary(lines);
      if (measured) assertTrue(Number.isFinite(measured.loudness));
    },
  },
  {
    name: "MP4 boxes",
    corpus: MP4,
    words: BINARY_WORDS,
    maxLength: 100_000,
    // There are at most 2,000 reads. None of them blocks the thread.
    maxMs: 1_000,
    share: 0.3,
    async feed(input) {
      const file = temporaryFile("tmp/boxes", latin1(input));
      const layout = await readMp4Layout(file);
      if (layout) assertTrue(["whole", "cut", "missing"].includes(layout.index));
      fs.rmSync(file);
    },
  },
  {
    name: "file signatures",
    corpus: FILE_HEADERS,
    words: BINARY_WORDS,
    maxLength: 4_100,
    share: 0.5,
    async feed(input) {
      for (const detect of [videoExtension, requireImage]) {
        await detect(latin1(input)).catch((error) => {
          if (!(error instanceof UploadError)) throw error;
          assert.equal(error.status, 415);
        });
      }
    },
  },
  {
    name: "multipart",
    corpus: [
      `${MULTIPART}bytes\r\n--${BOUNDARY}--\r\n`,
      `${MULTIPART}\r\n--${BOUNDARY}--`,
      `--${BOUNDARY}--\r\n`,
    ],
    words: [
      ...words(
        "\r\n -- \r\n\r\n name=\" filename=\" ; filename*=utf-8''%ff Content-Type: Content-Disposition: charset= : ",
      ),
      `--${BOUNDARY}`,
      `\r\n--${BOUNDARY}\r\n`,
      `\r\n--${BOUNDARY}--`,
    ],
    // The maximum size of the chunks that a socket delivers.
    maxLength: 64 * 1024,
    share: 0.1,
    async feed(input, random) {
      const boundary = random.chance(0.9)
        ? BOUNDARY
        : input
            .replace(/[^ -~]/g, "")
            .slice(0, 80)
            .trim();
      const request = new Request("http://site.example/admin", {
        ...{ method: "POST", body: latin1(input) },
        headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
      });
      const rule = { maxBytes: 50_000, tooLarge: "Too large.", checkHead: async () => {} };
      const { files, fields, error } = await receiveMultipart(request, { video: rule });
      assertTrue(!error || files.size === 0);
      assertTrue([...fields.values()].every((value) => value.length <= 64 * 1024));
      for (const { path: file } of files.values()) fs.rmSync(file);
      assert.deepEqual(temporaryFiles(), [], "files are left in uploads/tmp");
    },
  },
];
