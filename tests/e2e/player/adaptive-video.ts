import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { CLIPS_FOLDER, mp4Clip } from "../../clips";
import { publishVideo } from "../../publish-video";
import type { SiteProcess } from "../../site-process";
import type { PlayerPage } from "./player-page";

/**
 * Creates two renditions in fragmented MP4. Each one is a single file whose segments are byte ranges. The renditions
 * have only 10 frames per second, because every frame costs CPU time.
 */
export function adaptiveFolder(): string {
  const folder = path.join(CLIPS_FOLDER, "player-hls-10-fps");
  if (fs.existsSync(path.join(folder, "master.m3u8"))) return folder;
  const partial = fs.mkdtempSync(path.join(os.tmpdir(), "player-hls-"));
  execFileSync(
    "ffmpeg",
    [
      ...["-v", "error", "-nostdin", "-y", "-i", mp4Clip(40)],
      ..."-map 0:v -map 0:a -map 0:v -map 0:a -c:v libx264 -preset ultrafast -r 10 -g 20 -keyint_min 20 -sc_threshold 0".split(
        " ",
      ),
      ..."-s:v:0 320x180 -b:v:0 300k -s:v:1 160x90 -b:v:1 100k -c:a aac".split(" "),
      ..."-f hls -hls_time 2 -hls_playlist_type vod -hls_segment_type fmp4 -hls_flags single_file".split(
        " ",
      ),
      ...["-var_stream_map", "v:0,a:0 v:1,a:1", "-master_pl_name", "master.m3u8"],
      "stream_%v.m3u8",
    ],
    { cwd: partial },
  );
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  if (!fs.existsSync(folder)) fs.renameSync(partial, folder);
  return folder;
}

/** Publishes a video with renditions of 180p and 90p. `change` can modify or damage the files. */
export function publishAdaptive(
  site: SiteProcess,
  change: (name: string, bytes: Buffer) => Buffer | undefined = (_, bytes) => bytes,
  columns: { file?: string } = {},
): string {
  const id = publishVideo(site, columns);
  const url = site.database().prepare("SELECT video_url FROM videos WHERE id = ?").pluck().get(id);
  const basePath = String(url)
    .replace("/media/videos/", "")
    .replace(/\.mp4$/, "");
  const folder = adaptiveFolder();
  for (const name of fs.readdirSync(folder)) {
    const bytes = change(name, fs.readFileSync(path.join(folder, name)));
    if (bytes) site.addFile("videos", `${basePath}/hls/${name}`, bytes);
  }
  site
    .database()
    .prepare("UPDATE videos SET hls_url = ? WHERE id = ?")
    .run(`/media/videos/${basePath}/hls/master.m3u8`, id);
  return id;
}

/** Returns `blob:` for the adaptive source and `http:` for the file. */
export const plays = (player: PlayerPage) =>
  player.video.evaluate((video: HTMLVideoElement) => video.currentSrc.slice(0, 5));
