import { readCaptions } from "~db/captions";
import { prepared } from "~db/client.server";
import type { VideoFileRow } from "~db/video-files";
import { type FileName, type MediaName, mediaBasePath, parseMediaUrl } from "../bucket.server";
import { trimBasePath } from "./trim-source.server";

/**
 * Finds references to the files in the buckets: from the rows of videos, deleted videos and other files of videos, and
 * from imports that move a file before they write its row. Nothing else decides whether a file is needed.
 */

/** The columns of a video's row that refer to files. */
export interface NamedFiles {
  video_url: string;
  source_url: string | null;
  thumbnail_url: string | null;
  generated_poster_url: string | null;
  hls_url: string | null;
  storyboard_url: string | null;
  preview_url: string | null;
  captions: string | null;
}

/** The row of a video or of one of its files. The last two columns identify a trim that isn't encoded yet. */
export type NamingRow = NamedFiles & Pick<VideoFileRow, "cut_of" | "created_at">;

const COLUMNS = [
  "video_url",
  "source_url",
  "thumbnail_url",
  "generated_poster_url",
  "hls_url",
  "storyboard_url",
  "preview_url",
  "captions",
  "cut_of",
  "created_at",
] as const;
const OF_DELETED = COLUMNS.map((column) => `json_extract("row", '$.${column}') AS ${column}`);

function isMedia(name: FileName): name is MediaName {
  return name.bucket !== "documents";
}

/**
 * Returns an SQL condition for paths from "{base}." to "{base}0", which covers a base path's files (".") and its folder
 * ("/").
 */
const near = (column: string, base: string) =>
  `(${column} >= ${base} || '.' AND ${column} < ${base} || '0')`;

/**
 * Selects the ids of rows that may refer to a file with a given base path. Rows that refer to derived files also refer
 * to a video file.
 */
const IDS = /* sql */ `
  SELECT video_id FROM media_files
    WHERE bucket IN ('videos', 'thumbnails') AND (path = @base OR ${near("path", "@base")})
  ${["videos", "video_files"]
    .map(
      (table) => `
  UNION SELECT id FROM ${table} WHERE ${near("video_url", "@video")}
  UNION SELECT id FROM ${table} WHERE ${near("source_url", "@video")}
  UNION SELECT id FROM ${table} WHERE ${near("thumbnail_url", "@thumbnail")}`,
    )
    .join("")}
  UNION SELECT id FROM deleted_videos WHERE ${near(`json_extract("row", '$.video_url')`, "@video")}
  UNION SELECT id FROM deleted_videos WHERE ${near(`json_extract("row", '$.source_url')`, "@video")}
  UNION SELECT id FROM deleted_videos
    WHERE ${near(`json_extract("row", '$.thumbnail_url')`, "@thumbnail")}
  UNION SELECT id FROM video_files WHERE state = 'pending' AND video_url = ''`;

export const REFERENCES_SQL = /* sql */ `
  WITH ids AS MATERIALIZED (${IDS})
  SELECT id, ${COLUMNS.join(", ")}, 0 AS isDeleted FROM videos WHERE id IN ids
  UNION ALL SELECT id, ${COLUMNS.join(", ")},
      NOT EXISTS (SELECT 1 FROM videos WHERE videos.id = video_files.video_id) FROM video_files
    WHERE id IN ids AND state <> 'removed'
  UNION ALL SELECT id, ${OF_DELETED.join(", ")}, 1 FROM deleted_videos WHERE id IN ids`;

function rowsNear(base: string) {
  return prepared<NamingRow & { id: string; isDeleted: 0 | 1 }>(REFERENCES_SQL).all({
    base,
    video: `/media/videos/${base}`,
    thumbnail: `/media/thumbnails/${base}`,
  });
}

/**
 * Whether a row refers to a file, or to anything in a folder of derived files. A reference to a video file is also a
 * reference to the folder with the files derived from it.
 */
export function isReferenced(entry: FileName): boolean {
  if (!isMedia(entry)) {
    const document = prepared("SELECT 1 FROM performer_documents WHERE id = ?");
    return document.get(entry.path) !== undefined;
  }
  return rowsNear(mediaBasePath(entry.path)).some((row) =>
    // A generated poster is no longer needed once the video has another thumbnail.
    namesOf({ ...row, generated_poster_url: null }).some((name) => covers(entry, name)),
  );
}

/** Whether any row except the one with the given id refers to a file. */
export function isReferencedByOther(id: string, { bucket, path }: MediaName): boolean {
  return rowsNear(mediaBasePath(path))
    .filter((row) => row.id !== id)
    .flatMap(namesOf)
    .some((name) => name.bucket === bucket && name.path === path);
}

/** Whether a file belongs only to deleted videos, so that it must not be served. */
export function isOfDeletedVideo({ path }: MediaName): boolean {
  const base = mediaBasePath(path);
  const owners = rowsNear(base).filter((row) =>
    namesOf(row).some((name) => mediaBasePath(name.path) === base),
  );
  return owners.length > 0 && owners.every(({ isDeleted }) => isDeleted === 1);
}

/**
 * Returns the files that a row refers to, other files recorded as belonging to it, and the folders with derived files.
 * None of the entries is inside another.
 */
export function entriesOf(id: string, row: NamingRow): MediaName[] {
  const recorded = prepared("SELECT bucket, path FROM media_files WHERE video_id = ?").all(id);
  const entries = new Map<string, MediaName>();
  const add = (entry: MediaName) => entries.set(`${entry.bucket}/${entry.path}`, entry);
  for (const name of [...namesOf(row), ...(recorded as MediaName[])]) {
    add(name);
    const path = mediaBasePath(name.path);
    add({ bucket: "thumbnails", path });
    if (name.bucket === "videos") add({ bucket: "videos", path });
  }
  const isBelow = ({ bucket, path }: MediaName) =>
    path.startsWith(`${mediaBasePath(path)}/`) && entries.has(`${bucket}/${mediaBasePath(path)}`);
  return [...entries.values()].filter((entry) => !isBelow(entry));
}

/** Returns the files that a row refers to, in either bucket. */
function namesOf(row: NamingRow): MediaName[] {
  const urls = [
    ...[row.video_url, row.source_url, row.thumbnail_url, row.generated_poster_url],
    ...[row.hls_url, row.storyboard_url, row.preview_url],
    ...readCaptions(row.captions).map(({ url }) => url),
  ];
  const names = urls.map((url) => parseMediaUrl(url ?? "")).filter((name) => name !== undefined);
  // A trim's file is moved into the bucket before its row refers to it.
  const trim = row.video_url === "" ? trimBasePath(row) : undefined;
  if (trim) names.push({ bucket: "videos", path: `${trim}.mp4` });
  return names;
}

function covers(entry: MediaName, name: MediaName): boolean {
  if (entry.path === mediaBasePath(entry.path)) {
    // Smaller versions of a thumbnail, or files derived from a video file, may be in either bucket.
    const isOfBase = mediaBasePath(name.path) === entry.path;
    return isOfBase && (name.bucket === entry.bucket || name.bucket === "videos");
  }
  if (name.bucket !== entry.bucket) return false;
  return name.path === entry.path || name.path.startsWith(`${entry.path}/`);
}

/**
 * Whether a file may be in use: a job for its video is running, an import is about to write its row, or its frames
 * haven't been extracted for the block list yet.
 */
export function isInUse(name: FileName): boolean {
  if (!isMedia(name)) return false;
  const { bucket, path } = name;
  const isBlocked = prepared("SELECT 1 FROM blocked_videos WHERE state = 'waiting' AND file = ?");
  if (bucket === "videos" && isBlocked.get(path)) return true;
  const base = mediaBasePath(path);
  // Jobs create derived files under new names, so derived files are either referenced or unused.
  if (path.startsWith(`${base}/`)) return false;
  const statement = prepared(/* sql */ `
      SELECT 1 FROM jobs WHERE state = 'running' AND video_id IN (
        SELECT video_id FROM media_files
        WHERE bucket IN ('videos', 'thumbnails') AND (path = @base OR ${near("path", "@base")}))
      UNION ALL SELECT 1 FROM jobs JOIN video_files AS file ON file.id = jobs.video_id
        WHERE jobs.state = 'running' AND file.cut_of = @base
      UNION ALL SELECT 1 FROM imports WHERE finished_at IS NULL AND ${near("target", "@base")}`);
  return statement.get({ base }) !== undefined;
}
