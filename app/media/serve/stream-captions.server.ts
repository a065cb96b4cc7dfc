import path from "node:path";
import { parseDuration } from "~/shared/format";
import { quoted } from "~/shared/markup/playlist-text";
import { type Captions, readCaptions } from "~db/captions";
import { prepared } from "~db/client.server";
import {
  bucketFile,
  type MediaName,
  mediaBasePath,
  mediaUrl,
  parseMediaUrl,
} from "../bucket.server";
import { UNKNOWN } from "../captions/languages";
import { readText } from "../files/local-copies.server";
import { fileExists } from "../media-files.server";

/**
 * Native players find captions only if the playlist lists them. Captions can be added and removed without changing the
 * stream's stored playlist, so they are inserted into the playlist on each request.
 */

const MASTER = /\/hls(?:-\w+)?\/master(?:-\w+)?\.m3u8$/;
/** The suffix that is added to a caption file's URL to form the URL of its playlist. */
const PLAYLIST = ".m3u8";

/**
 * Returns a generated playlist: the master playlist of a stream with captions (RFC 8216 §4.3.4.1), or the playlist for
 * one caption file. Undefined for any other name.
 */
export async function playlistWithCaptions(name: MediaName): Promise<string | undefined> {
  if (name.bucket !== "videos") return undefined;
  const url = mediaUrl(name.bucket, name.path);
  const captionFile = captionsOfPlaylist(name);
  if (captionFile.path !== name.path)
    return captionsPlaylist(mediaUrl(captionFile.bucket, captionFile.path));
  if (!MASTER.test(name.path)) return undefined;
  const captions = rowsOf(name)
    .filter(({ hls_url }) => hls_url && path.dirname(hls_url) === path.dirname(url))
    .flatMap((row) => readCaptions(row.captions))
    .filter((each) => mediaFileExists(each.url));
  const file = bucketFile(name.bucket, name.path);
  if (captions.length === 0 || !file || !fileExists(file)) return undefined;
  return masterWithCaptions(await readText(file), captions);
}

/** Returns the name of the caption file for a caption playlist; returns any other name unchanged. */
export function captionsOfPlaylist({ bucket, path }: MediaName): MediaName {
  return { bucket, path: path.replace(/(\.vtt)\.m3u8$/, "$1") };
}

/** Adds captions to all renditions of a master playlist. */
function masterWithCaptions(master: string, captions: readonly Captions[]): string {
  const languages = new Set<string>();
  const tags = captions.map(({ url, label, language }) => {
    const isFirst = language !== UNKNOWN && !languages.has(language);
    languages.add(language);
    return `#EXT-X-MEDIA:${[
      'TYPE=SUBTITLES,GROUP-ID="captions"',
      `NAME=${quoted(label)}`,
      ...(language === UNKNOWN ? [] : [`LANGUAGE=${quoted(language)}`]),
      `DEFAULT=NO,AUTOSELECT=${isFirst ? "YES" : "NO"},FORCED=NO`,
      `URI="${url}${PLAYLIST}"`,
    ].join(",")}`;
  });
  const lines = master.replace(/^#EXT-X-STREAM-INF:.*$/gm, '$&,SUBTITLES="captions"').split("\n");
  const first = lines.findIndex((line) => line.startsWith("#EXT-X-STREAM-INF:"));
  return first < 0 ? master : [...lines.slice(0, first), ...tags, ...lines.slice(first)].join("\n");
}

/** Returns a playlist with one segment, which is as long as the video. */
function captionsPlaylist(url: string): string | undefined {
  const name = parseMediaUrl(url);
  if (!name || !mediaFileExists(url)) return undefined;
  const row = rowsOf(name).find((each) =>
    readCaptions(each.captions).some((one) => one.url === url),
  );
  if (!row) return undefined;
  // The stored duration is rounded, so it may be too short.
  const seconds = (parseDuration(row.duration) ?? 0) + 1;
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${seconds}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    `#EXTINF:${seconds},`,
    url,
    "#EXT-X-ENDLIST",
    "",
  ].join("\n");
}

function mediaFileExists(url: string): boolean {
  const name = parseMediaUrl(url);
  const file = name && bucketFile(name.bucket, name.path);
  return file !== undefined && fileExists(file);
}

interface Row {
  hls_url: string | null;
  captions: string | null;
  duration: string;
}

/** Returns the rows of the videos to which a derived file may belong. */
function rowsOf(name: MediaName): Row[] {
  const prefix = mediaUrl("videos", mediaBasePath(name.path));
  return prepared<Row>(
    // The range from "{base}." to just below "{base}0"; see media-access.server.ts.
    `SELECT hls_url, captions, duration FROM videos WHERE video_url >= @from AND video_url < @to
     UNION ALL SELECT hls_url, captions, duration FROM video_files
     WHERE video_url >= @from AND video_url < @to
     UNION ALL SELECT hls_url, captions, duration FROM videos INDEXED BY videos_by_growing_stream
     WHERE video_url = '' AND hls_url > @from AND hls_url < @to`,
  ).all({ from: `${prefix}.`, to: `${prefix}0` });
}
