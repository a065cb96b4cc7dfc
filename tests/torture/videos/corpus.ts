import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Clip, makeClip } from "../../media-clips";

const SMALL: Clip = { seconds: 1, size: "96x64", frameRate: "10" };
const MPEG4 = ["mpeg4", "-q:v", "8"];
const VP8 = ["libvpx", "-deadline", "realtime", "-cpu-used", "8"];

/** Short videos in every container that the site accepts. */
const KINDS: Clip[] = [
  {},
  { output: ["-movflags", "+faststart"] },
  { output: ["-movflags", "+frag_keyframe+empty_moov"] },
  { audio: false },
  { extension: "mov", video: MPEG4 },
  { extension: "3gp", audio: false },
  { extension: "mkv", audio: ["libopus"] },
  { extension: "webm", video: VP8, audio: ["libopus"] },
  { extension: "avi", video: MPEG4, audio: ["libmp3lame"] },
  { extension: "flv" },
  { extension: "ts" },
  { extension: "mpg", video: ["mpeg1video"], audio: ["mp2"], frameRate: "25" },
  { extension: "wmv", video: ["wmv2"], audio: ["wmav2"] },
  { extension: "ogv", video: ["libtheora"], audio: ["libvorbis"] },
  { extension: "mxf", video: ["mpeg2video"], audio: ["pcm_s16le"], frameRate: "25" },
];

/** Generates these videos with ffmpeg, and returns their bytes. */
export function corpus(): Buffer[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "torture-videos-"));
  try {
    return KINDS.map((kind, index) =>
      fs.readFileSync(makeClip(folder, `video-${index}`, { ...SMALL, ...kind })),
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
