import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { timestamp } from "~/media/captions/cues";
import { type Artifact, isSingleFrame, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { extractFrame, extractFrames } from "~/media/encode/frames.server";
import { fit } from "~/media/encode/renditions.server";
import { EncodeError, type Task } from "~/media/encode/task.server";
import { processImage } from "~/media/images/process-image.server";
import type { Probe } from "~/media/probe/probe.server";

const SIDE = 720;
const CANDIDATES = 9;
const FILE = "poster.webp";

/**
 * Creates a poster for a video without a thumbnail: picks the best of several frames spread over the video and encodes
 * it as WebP.
 */
export async function createPoster(source: Source, probe: Probe, task: Task): Promise<Artifact> {
  const times = Array.from(
    { length: CANDIDATES },
    (_, index) => (probe.durationSeconds * (index + 0.5)) / CANDIDATES,
  );
  const size = fit(probe.video, SIDE);
  const frames = await extractFrames(source.playedFile, probe, times, size, task, (done) =>
    task.report({ fraction: done / (CANDIDATES + 1) }),
  );
  const files = frames.filter((frame) => frame !== undefined);
  if (files.length === 0) files.push(await firstFrame(source, probe, task));
  const target = path.join(task.folder, FILE);
  const { colors } = await processImage({ kind: "poster", files, target });
  const name = `${source.basePath}.webp`;
  return {
    moves: [{ from: FILE, bucket: "thumbnails", path: name }],
    columns: {},
    poster: { url: `/media/thumbnails/${name}`, colors },
  };
}

/** Copies a thumbnail that another tool has added, removing metadata such as EXIF. */
export async function cleanThumbnail(source: Source, file: string, task: Task): Promise<Artifact> {
  const before = source.row.thumbnail_url!;
  const { colors } = await processImage({
    kind: "thumbnail",
    file,
    target: path.join(task.folder, FILE),
  });
  const name = `${path.dirname(source.basePath)}/${Date.now()}.webp`;
  return {
    ...NO_ARTIFACT,
    moves: [{ from: FILE, bucket: "thumbnails", path: name }],
    thumbnail: { before, url: `/media/thumbnails/${name}`, colors },
  };
}

async function firstFrame(source: Source, probe: Probe, task: Task): Promise<string> {
  const frame = await extractFrame(source.playedFile, probe, 0, fit(probe.video, SIDE), task);
  if (!frame) throw new EncodeError("No frame could be extracted from the video.");
  return frame;
}

const MIN_SECONDS_EACH = 2;
/**
 * If the rest of the video after the last full interval is shorter than this fraction of an interval, it doesn't get
 * its own tile.
 */
const MIN_SHARE = 0.1;
const MAX_FRAMES = 100;
const LONGER_SIDE = 160;
const COLUMNS = 5;
const ROWS = 5;

/** A video's storyboard tiles: one every 2 s, but at most 100. */
interface Plan {
  /** The number of seconds that each tile covers; the last one may cover fewer. */
  interval: number;
  count: number;
}

function storyboardPlan(durationSeconds: number): Plan {
  const interval = Math.max(MIN_SECONDS_EACH, durationSeconds / MAX_FRAMES);
  const count = Math.max(1, Math.ceil(durationSeconds / interval - MIN_SHARE));
  return { interval, count };
}

/** Returns a tile's position: the index of its sprite, and its offset in pixels. */
function tilePosition(index: number, size: { width: number; height: number }) {
  const within = index % (COLUMNS * ROWS);
  return {
    sprite: Math.floor(index / (COLUMNS * ROWS)),
    left: (within % COLUMNS) * size.width,
    top: Math.floor(within / COLUMNS) * size.height,
  };
}

/** Creates a storyboard, consisting of sprites and a WebVTT file that maps times to tiles. */
export async function createStoryboard(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
): Promise<Artifact> {
  if (isSingleFrame(probe)) return NO_ARTIFACT;
  const plan = storyboardPlan(probe.durationSeconds);
  const size = tileSize(probe.video);
  const folder = `storyboard-${generation}`;
  await mkdir(path.join(task.folder, folder), { recursive: true });
  const times = Array.from({ length: plan.count }, (_, index) => {
    // The frame is taken from the middle of the cue, so that it is at most half a cue away from any position.
    return (index * plan.interval + cueEnd(index, plan, probe.durationSeconds)) / 2;
  });
  const found = await extractFrames(source.playedFile, probe, times, size, task, (done) =>
    task.report({ fraction: done / (plan.count + 1) }),
  );
  const frames: string[] = [];
  for (const one of found) {
    const frame =
      one ?? frames.at(-1) ?? (await extractFrame(source.playedFile, probe, 0, size, task));
    if (!frame) throw new EncodeError("No frame could be extracted from the video.");
    frames.push(frame);
  }
  await writeSprites(path.join(task.folder, folder), frames, size);
  await writeFile(
    path.join(task.folder, folder, "storyboard.vtt"),
    storyboardVtt(plan, size, probe.durationSeconds),
  );
  const target = `${source.basePath}/${folder}`;
  return {
    moves: [{ from: folder, bucket: "thumbnails", path: target }],
    columns: { storyboard_url: `/media/thumbnails/${target}/storyboard.vtt` },
  };
}

/** Returns a tile's size: 160 pixels on the longer side. */
function tileSize({ width, height }: { width: number; height: number }) {
  const scale = LONGER_SIDE / Math.max(width, height);
  const even = (value: number) => Math.max(2, 2 * Math.round((value * scale) / 2));
  return { width: even(width), height: even(height) };
}

async function writeSprites(
  folder: string,
  frames: readonly string[],
  size: { width: number; height: number },
): Promise<void> {
  for (let from = 0; from < frames.length; from += COLUMNS * ROWS) {
    const some = frames.slice(from, from + COLUMNS * ROWS);
    await processImage({
      kind: "sprite",
      width: Math.min(COLUMNS, some.length) * size.width,
      height: Math.ceil(some.length / COLUMNS) * size.height,
      parts: some.map((file, index) => {
        const { left, top } = tilePosition(index, size);
        return { file, left, top };
      }),
      target: path.join(folder, `${from / (COLUMNS * ROWS) + 1}.webp`),
    });
  }
}

function cueEnd(index: number, { interval, count }: Plan, durationSeconds: number): number {
  return index === count - 1 ? durationSeconds : (index + 1) * interval;
}

/** Returns the storyboard's WebVTT file, with media fragments (https://www.w3.org/TR/media-frags/#naming-space). */
function storyboardVtt(
  plan: Plan,
  size: { width: number; height: number },
  durationSeconds: number,
): string {
  const cues = Array.from({ length: plan.count }, (_, index) => {
    const { sprite, left, top } = tilePosition(index, size);
    const end = cueEnd(index, plan, durationSeconds);
    return (
      `${timestamp(index * plan.interval)} --> ${timestamp(end)}\n` +
      `${sprite + 1}.webp#xywh=${left},${top},${size.width},${size.height}\n`
    );
  });
  return ["WEBVTT\n", ...cues].join("\n");
}
