import fs from "node:fs/promises";
import path from "node:path";
import { parseDuration, parseTime } from "~/shared/format";
import {
  categoryOf,
  descriptionOf,
  type ImportEntry,
  ImportError,
  type ImportPlan,
  NO_CATEGORY,
  noteFailure,
  readTable,
  seriesOf,
  statusOf,
  type TableRow,
  tagsOf,
  textOf,
  titleOf,
} from "./table.server";

export interface ExportDefaults {
  /** The category assigned to rows with an unknown category. */
  category?: string;
}

/**
 * Plans the import of the earlier system's `videos` table (specification, section 3) and its downloaded buckets,
 * `videos/` and `thumbnails/`. Keeps ids, views, times, statuses and legacy categories, so that old links keep working
 * and statistics carry over.
 *
 * @throws {ImportError} if the export can't be read.
 */
export async function planExport(
  exportFile: string,
  folder: string,
  defaults: ExportDefaults,
): Promise<ImportPlan> {
  const root = path.resolve(folder);
  const plan: ImportPlan = { entries: [], failures: [] };
  for (const [index, row] of (await readTable(exportFile)).entries()) {
    const name = textOf(row, "title", "id") ?? `row ${index + 1}`;
    try {
      plan.entries.push(await entryOf(name, row, root, defaults));
    } catch (error) {
      noteFailure(plan, name, error);
    }
  }
  return plan;
}

async function entryOf(
  name: string,
  row: TableRow,
  root: string,
  defaults: ExportDefaults,
): Promise<ImportEntry> {
  const id = textOf(row, "id");
  const title = titleOf(row);
  if (!id || !title) throw new ImportError("the id or title is missing.");
  if (!/^[\w-]{1,64}$/.test(id)) throw new ImportError(`the id "${id}" can't be part of a URL.`);
  const video = await stored(root, "videos", textOf(row, "video_url"));
  // A missing thumbnail doesn't matter, since a frame will be extracted from the video.
  const thumbnailName = textOf(row, "thumbnail_url", "thumbnail");
  const thumbnail = await stored(root, "thumbnails", thumbnailName).catch(() => undefined);
  const durationSeconds = parseDuration(textOf(row, "duration") ?? "");
  const createdAt = timeOf(row, "created_at", "uploadDate");
  return {
    name,
    id,
    file: video?.file,
    ...(video && { basePath: video.basePath }),
    ...(thumbnail && { thumbnail: thumbnail.file }),
    title,
    description: descriptionOf(row) ?? "",
    category: categoryOrDefault(row, defaults),
    tags: tagsOf(row) ?? [],
    series: seriesOf(row),
    status: statusOf(row) ?? "review",
    ...(durationSeconds !== undefined && { durationSeconds }),
    views: Math.max(0, Math.trunc(Number(textOf(row, "views") ?? 0)) || 0),
    ...(createdAt && { createdAt }),
    updatedAt: timeOf(row, "updated_at") ?? createdAt,
  };
}

function categoryOrDefault(row: TableRow, { category }: ExportDefaults): string {
  try {
    const own = categoryOf(row);
    if (own) return own;
  } catch (error) {
    if (!category) throw error;
  }
  if (!category) throw new ImportError(NO_CATEGORY);
  return category;
}

function timeOf(row: TableRow, ...names: string[]): string | undefined {
  const time = parseTime(textOf(row, ...names) ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/**
 * Finds the file for one of the earlier system's URLs: the third-to-last segment is the bucket, and the last two are
 * the path (specification, section 7). Returns undefined if there is no URL.
 */
async function stored(
  root: string,
  bucket: "videos" | "thumbnails",
  address: string | undefined,
): Promise<{ file: string; basePath: string } | undefined> {
  if (!address) return undefined;
  const segments = address.replace(/[?#].*$/, "").split("/");
  const [found, user = "", name = ""] = segments.slice(-3).map(decoded);
  if (found !== bucket) {
    throw new ImportError(`the URL ${address} doesn't point to a file in the bucket ${bucket}.`);
  }
  const inside = path.join(root, bucket);
  const file = path.join(inside, user, name);
  if (!file.startsWith(inside + path.sep)) throw new ImportError(`the URL ${address} is invalid.`);
  const isThere = await fs.stat(file).then(
    (stat) => stat.isFile(),
    () => false,
  );
  if (!isThere) throw new ImportError(`${path.join(bucket, user, name)} isn't in the folder.`);
  return { file, basePath: `${user}/${name.replace(/\.\w+$/, "")}` };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
