import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Clip, makeClip } from "../../media-clips";

const SMALL: Clip = { seconds: 1, size: "96x64", frameRate: "10" };
const MPEG4 = ["mpeg4", "-q:v", "8"];
const VP8 = ["libvpx", "-deadline", "realtime", "-cpu-used", "8"];

/** Short videos in every container that the site takes. */
const KINDS: Clip[] = [
  {},
  { output: ["-movflags", "+faststart"] },
  { output: ["-movflags", "+frag_keyframe+empty_moov"] },
  { audio: false },
  { as: "mov", video: MPEG4 },
  { as: "3gp", audio: false },
  { as: "mkv", audio: ["libopus"] },
  { as: "webm", video: VP8, audio: ["libopus"] },
  { as: "avi", video: MPEG4, audio: ["libmp3lame"] },
  { as: "flv" },
  { as: "ts" },
  { as: "mpg", video: ["mpeg1video"], audio: ["mp2"], frameRate: "25" },
  { as: "wmv", video: ["wmv2"], audio: ["wmav2"] },
  { as: "ogv", video: ["libtheora"], audio: ["libvorbis"] },
  { as: "mxf", video: ["mpeg2video"], audio: ["pcm_s16le"], frameRate: "25" },
];

/** Their bytes, made by ffmpeg at the first run. */
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
