import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "../site";
import { expectPlays, type Input, X264 } from "../studio/expect-plays";

const INPUTS: Input[] = [
  [
    "10-bit video and AC-3 5.1 in Matroska",
    { extension: "mkv", video: [...X264, "-pix_fmt", "yuv420p10le"], audio: ["ac3", "-ac", "6"] },
    16 / 9,
  ],
  ["a rotated MOV", { extension: "mov" }, 9 / 16, 90],
  ["MPEG-4 and MP3 in AVI", { extension: "avi", video: ["mpeg4"], audio: ["libmp3lame"] }, 16 / 9],
  ["H.264 and FLAC in Matroska", { extension: "mkv", audio: ["flac"] }, 16 / 9],
  [
    "VP9 with odd dimensions in WebM",
    {
      extension: "webm",
      size: "333x187",
      video: ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
      audio: ["libopus"],
    },
    333 / 187,
  ],
  [
    "a variable frame rate",
    {
      extension: "mkv",
      video: [
        ...X264,
        "-pix_fmt",
        "yuv420p",
        "-vf",
        "select='not(mod(n\\,3))+between(t\\,1\\,2)'",
        "-vsync",
        "vfr",
      ],
    },
    16 / 9,
  ],
  [
    "HEVC",
    {
      extension: "mp4",
      video: ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
    },
    16 / 9,
  ],
];

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "encode-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("a video in any supported format plays in the browser after encoding", async ({
  page,
  site,
}) => {
  test.setTimeout(300_000);
  await expectPlays(page, site, folder, INPUTS);
});
