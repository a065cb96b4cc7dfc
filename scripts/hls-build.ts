import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, type Rollup } from "vite";

/**
 * The features of hls.js that our streams need: fragmented MP4 with separate audio. hls.js is built from source,
 * because its light build doesn't support separate audio, and its full build is 1.7 times as large as ours.
 */
const FEATURES = {
  ALT_AUDIO: true,
  SUBTITLES: false,
  EME_DRM: false,
  CMCD: false,
  CONTENT_STEERING: false,
  VARIABLE_SUBSTITUTION: false,
  M2TS_ADVANCED_CODECS: false,
  MEDIA_CAPABILITIES: false,
  INTERSTITIALS: false,
  IFRAMES: false,
};

/**
 * The modules for disabled features, for containers other than MP4, and for the worker that handles those containers.
 */
const LEFT_OUT = new RegExp(
  `/(${[
    ...["cmcd", "content-steering", "eme", "iframe", "interstitials"],
    ...["subtitle-stream", "subtitle-track", "timeline"],
  ].join("|")})-controller$|/(cues|tsdemuxer|(aac|ac3-|mp3)demuxer|mp4-remuxer|transmuxer-worker)$`,
);

/** The replacement for these modules: a demuxer that recognizes nothing, and functions that do nothing. */
const NOTHING = `
  export default class { static probe() { return false } }
  export const AC3Demuxer = undefined, IFrameController = undefined;
  export const SubtitleStreamController = undefined, TimelineController = undefined;
  export const flushTextTrackMetadataCueSamples = () => {};
  export const flushTextTrackUserdataCueSamples = () => {};
`;

const leaveOut: Plugin = {
  name: "leave-out",
  enforce: "pre",
  resolveId: (id) => (LEFT_OUT.test(id) ? "\0nothing" : undefined),
  load: (id) => (id === "\0nothing" ? { code: NOTHING, moduleSideEffects: false } : undefined),
};

const PACKAGE = fileURLToPath(new URL("../node_modules/hls.js", import.meta.url));
const SOURCES = [
  "features/player/one-codec-hls.ts",
  "features/player/efficient-codec.ts",
  "shared/streams/codecs.ts",
];
const APP = fileURLToPath(new URL("../app", import.meta.url));
const CACHE = fileURLToPath(new URL("../node_modules/.cache/hls", import.meta.url));

/**
 * Returns the folder that contains `hls.mjs`. It is built once for each combination of the hls.js version, the excluded
 * modules and our sources.
 */
export async function hlsFolder(): Promise<string> {
  const manifest = await readFile(path.join(PACKAGE, "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const define = {
    ...Object.fromEntries(
      Object.entries(FEATURES).map(([name, isOn]) => [`__USE_${name}__`, String(isOn)]),
    ),
    __VERSION__: JSON.stringify(version),
    __IN_WORKER__: "false",
    __HLS_WORKER_BUNDLE__: "undefined",
  };
  const own = await Promise.all(SOURCES.map((source) => readFile(path.join(APP, source), "utf8")));
  const recipe = JSON.stringify([define, LEFT_OUT.source, NOTHING, own]);
  const digest = createHash("sha256").update(recipe).digest("hex").slice(0, 12);
  const folder = path.join(CACHE, `${version}-${digest}`);
  const file = path.join(folder, "hls.mjs");
  if (existsSync(file)) return folder;
  const { output } = (await build({
    configFile: false,
    logLevel: "warn",
    define,
    plugins: [leaveOut],
    resolve: { alias: { "~": APP, "hls.js": path.join(PACKAGE, "src/hls.ts") } },
    build: {
      write: false,
      target: "es2022",
      minify: "esbuild",
      // Build it as an application, because Vite doesn't minify whitespace in libraries.
      rollupOptions: {
        input: path.join(APP, SOURCES[0]!),
        preserveEntrySignatures: "strict",
      },
    },
  })) as Rollup.RollupOutput;
  await mkdir(folder, { recursive: true });
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, output[0].code);
  await rename(partial, file);
  return folder;
}
