import { existsSync, realpathSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { isCategoryId } from "~/shared/categories";
import { VIDEO_NAME } from "~/shared/file-rules";
import { titleFromFileName } from "~/shared/file-title";
import type { VideoStatus } from "~db/schema";
import {
  categoryOf,
  descriptionOf,
  type ImportEntry,
  ImportError,
  type ImportPlan,
  NO_CATEGORY,
  noteFailure,
  readObject,
  readTable,
  seriesOf,
  statusOf,
  type TableRow,
  tagsOf,
  textOf,
  titleOf,
} from "./table.server";

const IMAGE_EXTENSIONS = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"];
/** The default file names of a table at the top level of the folder. */
const METADATA_NAMES = ["metadata.csv", "metadata.json"];

/** The default values for details that aren't specified for a video. */
export interface FolderDefaults {
  category?: string;
  tags?: string[];
  status: VideoStatus;
  /** A CSV or JSON table with a `file` column, or the rows of such a table. */
  metadata?: string | TableRow[];
}

/**
 * Plans the import of a folder and its subfolders, ordered by name. A video's details come from the first of these
 * sources that has them: `clip.mp4.json` or `clip.json` next to the file, the file's row in the table, the folder's
 * name if it is a category, and the defaults. A `clip.jpg` next to the file becomes its thumbnail.
 *
 * @throws {ImportError} if the folder or the table can't be read.
 */
export async function planFolder(folder: string, defaults: FolderDefaults): Promise<ImportPlan> {
  const root = path.resolve(folder);
  const names = await filesBelow(root);
  const table = await metadataOf(root, names, defaults.metadata);
  const present = new Set(names);
  const plan: ImportPlan = { entries: [], failures: [] };
  for (const name of names.filter((each) => VIDEO_NAME.test(each))) {
    try {
      const row = { ...table.get(name), ...(await sidecarOf(root, name, present)) };
      plan.entries.push(entryOf(root, name, row, defaults, present));
      table.delete(name);
    } catch (error) {
      noteFailure(plan, name, error);
    }
  }
  for (const name of table.keys()) {
    if (!present.has(name))
      plan.failures.push({ name, reason: "it is listed in the table, but isn't in the folder." });
  }
  return plan;
}

/**
 * Checks that a folder doesn't overlap with the uploads folder. If it did, the files in the uploads folder would be
 * imported again as new videos.
 *
 * @throws {ImportError}
 */
export function requireApartFromUploads(folder: string): void {
  const [here = "", uploads = ""] = [folder, settings().uploadsDir].map((each) => {
    const resolved = path.resolve(each);
    return `${existsSync(resolved) ? realpathSync(resolved) : resolved}${path.sep}`;
  });
  if (here.startsWith(uploads) || uploads.startsWith(here)) {
    throw new ImportError("The import folder must not overlap with the uploads folder.");
  }
}

async function filesBelow(root: string): Promise<string[]> {
  const entries = await fs.readdir(root, { recursive: true, withFileTypes: true }).catch(() => {
    throw new ImportError(`${root} isn't a readable folder.`);
  });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

async function metadataOf(
  root: string,
  names: string[],
  given: FolderDefaults["metadata"],
): Promise<Map<string, TableRow>> {
  const found = METADATA_NAMES.find((name) => names.includes(name));
  const table = given ?? (found ? path.join(root, found) : []);
  const isFile = typeof table === "string";
  const rows = isFile ? await readTable(table) : table;
  return new Map(
    rows.map((row) => {
      const name = textOf(row, "file", "filename", "path");
      if (!name) {
        throw new ImportError(
          `${isFile ? table : "The table"}: every row needs a value in the column "file".`,
        );
      }
      return [path.normalize(name), row];
    }),
  );
}

async function sidecarOf(root: string, name: string, present: Set<string>): Promise<TableRow> {
  const bare = name.slice(0, -path.extname(name).length);
  const sidecar = [`${name}.json`, `${bare}.json`].find((each) => present.has(each));
  if (!sidecar || METADATA_NAMES.includes(sidecar)) return {};
  return readObject(path.join(root, sidecar));
}

function entryOf(
  root: string,
  name: string,
  row: TableRow,
  defaults: FolderDefaults,
  present: Set<string>,
): ImportEntry {
  const parent = path.basename(path.dirname(name)).toLowerCase();
  const category = categoryOf(row) ?? (isCategoryId(parent) ? parent : defaults.category);
  if (!category) throw new ImportError(NO_CATEGORY);
  const thumbnail = findThumbnail(name, textOf(row, "thumbnail", "thumbnail_url"), present);
  return {
    name,
    file: path.join(root, name),
    ...(thumbnail && { thumbnail: path.join(root, thumbnail) }),
    title: titleOf(row) ?? (titleFromFileName(path.basename(name)) || "Untitled"),
    description: descriptionOf(row) ?? "",
    category,
    tags: tagsOf(row) ?? defaults.tags ?? [],
    series: seriesOf(row),
    status: statusOf(row) ?? defaults.status,
  };
}

/**
 * Finds the video's thumbnail. If one is specified, looks for it next to the video and in the folder; otherwise, looks
 * for an image with the same name as the video.
 */
function findThumbnail(name: string, named: string | undefined, present: Set<string>) {
  const bare = name.slice(0, -path.extname(name).length);
  const candidates = named
    ? [path.join(path.dirname(name), named), path.normalize(named)]
    : IMAGE_EXTENSIONS.map((extension) => bare + extension);
  const thumbnail = candidates.find((each) => present.has(each));
  if (named && !thumbnail) throw new ImportError(`its thumbnail ${named} isn't in the folder.`);
  return thumbnail;
}
