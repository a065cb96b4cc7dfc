// npm run processed-videos: regenerates tests/processed-videos, the processed videos that tests add to their sites. Run
// it when the site's encoding changes, and commit the result.
import fs from "node:fs";
import path from "node:path";
import { sqliteHandle } from "~db/client.server";
import { countingVideo } from "./counting-video";
import { addToLibrary, videoRow, workUntilIdle } from "./encode-library";
import { filesBelow } from "./files-below";
import { ffmpeg, makeClip } from "./media-clips";
import {
  CHECKSUMS,
  checksumsOf,
  PROCESSED_VIDEOS,
  type ProcessedVideo,
  STORED_BASE_PATH,
  VIDEO_TABLES,
  type VideoRows,
} from "./processed-videos";
import { useTemporarySite } from "./temporary-site";

const cues = (first: string, second: string) =>
  `1\n00:00:01,000 --> 00:00:03,000\n${first}\n\n2\n00:00:04,000 --> 00:00:06,000\n${second}\n`;

/** Creates a video with two audio tracks, two caption tracks and little motion. Returns its path. */
function completeVideo(folder: string): string {
  const [english, german] = [path.join(folder, "english.srt"), path.join(folder, "german.srt")];
  fs.writeFileSync(english, cues("Good <i>evening</i> & welcome", "Good night"));
  fs.writeFileSync(german, cues("Guten Abend", "Gute Nacht"));
  const background = "color=0x204060:size=854x480:rate=25:duration=30";
  const box = "drawbox=x=mod(t*20\\,800):y=200:w=54:h=54:color=orange:t=fill";
  const source = path.join(folder, "complete.mkv");
  // Silence takes up only a twentieth of the bytes that a tone would.
  const silence = ["-f", "lavfi", "-i", "anullsrc=channel_layout=mono:duration=30"];
  ffmpeg([
    ...["-f", "lavfi", "-i", `${background},${box}`],
    ...[...silence, ...silence],
    ...["-i", english, "-i", german],
    ...["-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map", "4"],
    ...["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "flac", "-c:s", "srt"],
    ...["-metadata:s:a:0", "language=ger", "-metadata:s:a:1", "language=eng"],
    ...["-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=ger", source],
  ]);
  return source;
}

interface Recipe {
  create(folder: string): string;
  playable: boolean;
  duration: string;
}

const RECIPES: Record<ProcessedVideo, Recipe> = {
  counting: { create: (folder) => countingVideo(folder), playable: true, duration: "0:05" },
  converted: {
    create: (folder) =>
      makeClip(folder, "video", { extension: "avi", video: ["mpeg4"], size: "160x90" }),
    playable: false,
    duration: "0:02",
  },
  complete: { create: completeVideo, playable: false, duration: "0:30" },
};

/** Columns whose values differ between sites. */
const OMITTED = [
  "id",
  "number",
  "created_at",
  "updated_at",
  "run_after",
  "started_at",
  "finished_at",
];

async function createProcessedVideo(source: ProcessedVideo): Promise<void> {
  const site = useTemporarySite({ ENCODER_PRESET: "medium" });
  try {
    const { create, playable, duration } = RECIPES[source];
    const id = await addToLibrary(site.uploads, create(site.folder), playable, { duration });
    await workUntilIdle();
    const rows = rowsOf(id);
    const unfinished = rows.jobs?.filter(
      ({ state, kind }) => state !== "done" && kind !== "cleanup",
    );
    if (unfinished?.length !== 0) throw new Error(`${source} has unfinished jobs.`);
    const video = videoRow(id);
    const base = /u\/\d+/.exec(video.source_url ?? video.video_url)?.[0] ?? "";
    const folder = path.join(PROCESSED_VIDEOS, source);
    fs.rmSync(folder, { recursive: true, force: true });
    for (const name of filesBelow(site.uploads)) {
      const file = path.join(folder, "uploads", name.replace(base, STORED_BASE_PATH));
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.copyFileSync(path.join(site.uploads, name), file);
    }
    const text = JSON.stringify(rows, undefined, 2).replaceAll(base, STORED_BASE_PATH);
    fs.writeFileSync(path.join(folder, "rows.json"), `${text}\n`);
  } finally {
    await site.remove();
  }
}

/** Returns a video's rows in all tables, without generated columns and columns that are specific to a site. */
function rowsOf(id: string): VideoRows {
  const rows: VideoRows = {};
  for (const [table, column] of VIDEO_TABLES) {
    const columns = sqliteHandle().pragma(`table_xinfo(${table})`) as {
      name: string;
      hidden: number;
    }[];
    const names = columns
      .filter(({ name, hidden }) => hidden === 0 && name !== column && !OMITTED.includes(name))
      .map(({ name }) => name);
    const found = sqliteHandle()
      .prepare(`SELECT ${names.join(", ")} FROM ${table} WHERE ${column} = ?`)
      .all(id) as Record<string, string | number | Buffer | null>[];
    rows[table] = found.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [
            name,
            Buffer.isBuffer(value) ? { base64: value.toString("base64") } : value,
          ]),
      ),
    );
  }
  return rows;
}

for (const source of Object.keys(RECIPES) as ProcessedVideo[]) await createProcessedVideo(source);
fs.writeFileSync(CHECKSUMS, checksumsOf(PROCESSED_VIDEOS));
