import path from "node:path";
import { processPicture } from "../pictures/picture-process.server";
import type { Probe } from "../probe/probe.server";
import { type Artifact, NO_ARTIFACT, type Source } from "./artifact";
import { extractFrame, extractFrames } from "./frames.server";
import { fit } from "./renditions";
import { EncodeError, type Task } from "./task.server";

const SIDE = 720;
const CANDIDATES = 9;
const FILE = "poster.webp";

/** A poster for a video that has none: the best of several pictures spread over it, as WebP. */
export async function createPoster(source: Source, probe: Probe, task: Task): Promise<Artifact> {
  const times = Array.from(
    { length: CANDIDATES },
    (_, index) => (probe.durationSeconds * (index + 0.5)) / CANDIDATES,
  );
  const size = fit(probe.video, SIDE);
  const pictures = await extractFrames(source.playing, probe, times, size, task, (done) =>
    task.report({ fraction: done / (CANDIDATES + 1) }),
  );
  const files = pictures.filter((picture) => picture !== undefined);
  if (files.length === 0) files.push(await firstPicture(source, probe, task));
  const target = path.join(task.folder, FILE);
  const { colors } = await processPicture({ kind: "poster", files, target });
  const name = `${source.basePath}.webp`;
  return {
    moves: [{ from: FILE, bucket: "thumbnails", path: name }],
    columns: {},
    poster: { url: `/media/thumbnails/${name}`, colors },
  };
}

/** A copy of a thumbnail that another tool has put in place, without what isn't pixels, such as EXIF. */
export async function cleanThumbnail(source: Source, file: string, task: Task): Promise<Artifact> {
  const before = source.row.thumbnail_url!;
  const { colors } = await processPicture({
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

async function firstPicture(source: Source, probe: Probe, task: Task): Promise<string> {
  const picture = await extractFrame(source.playing, probe, 0, fit(probe.video, SIDE), task);
  if (!picture) throw new EncodeError("Not one picture could be taken from the video.");
  return picture;
}
