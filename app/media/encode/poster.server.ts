import { writeFile } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { posterColors } from "../poster-colors.server";
import type { Probe } from "../probe.server";
import { frameAt } from "./frames.server";
import { type Made, NOTHING, type Source } from "./made";
import { fit } from "./rungs";
import { EncodeError, type Task } from "./task.server";

const SIDE = 720;
const CANDIDATES = 9;
const WEBP_QUALITY = 80;
const FILE = "poster.webp";

/** A poster for a video that has none: the best of several pictures spread over it, as WebP. */
export async function makePoster(source: Source, probe: Probe, task: Task): Promise<Made> {
  if (source.row.thumbnail_url) return NOTHING;
  let best: { picture: Buffer; score: number } | undefined;
  for (let index = 0; index < CANDIDATES; index++) {
    const at = (probe.durationSeconds * (index + 0.5)) / CANDIDATES;
    const picture = await frameAt(source.playing, probe, at, fit(probe.video, SIDE), task);
    task.report({ fraction: (index + 1) / (CANDIDATES + 1) });
    if (!picture) continue;
    const score = await posterScore(picture);
    if (!best || score > best.score) best = { picture, score };
  }
  best ??= await firstPicture(source, probe, task);
  await writeFile(
    path.join(task.folder, FILE),
    await sharp(best.picture).webp({ quality: WEBP_QUALITY }).toBuffer(),
  );
  const place = `${source.stem}.webp`;
  return {
    moves: [{ from: FILE, bucket: "thumbnails", path: place }],
    columns: {},
    poster: { url: `/media/thumbnails/${place}`, colors: await posterColors(best.picture) },
  };
}

async function firstPicture(source: Source, probe: Probe, task: Task) {
  const picture = await frameAt(source.playing, probe, 0, fit(probe.video, SIDE), task);
  if (!picture) throw new EncodeError("Not one picture could be taken from the video.");
  return { picture, score: 0 };
}

/**
 * How well a picture serves as a poster: sharp, neither dark nor washed out, with something to see
 * in it. A black, white or single-coloured one has next to nothing.
 */
export async function posterScore(picture: Buffer): Promise<number> {
  // stats() looks at its input, not at what the steps before it make of that.
  const grey = await sharp(picture).greyscale().png().toBuffer();
  const { channels, sharpness, entropy } = await sharp(grey).stats();
  const { mean, stdev } = channels[0]!;
  const brightness = Math.max(0.02, 1 - Math.abs(mean - 118) / 118);
  const contrast = Math.min(1, stdev / 50);
  return brightness * (0.02 + contrast) * (1 + Math.min(8, sharpness) / 4) * (1 + entropy / 8);
}
