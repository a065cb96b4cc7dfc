import fs from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { toCategoryId } from "~/shared/categories";
import { createYielder } from "~/shared/event-loop";
import { fromCsvCell } from "~/shared/markup/csv";
import {
  check,
  description,
  firstMessage,
  type NewVideoTexts,
  newVideoTexts,
  tags,
  title,
} from "~/shared/video-fields";
import { VIDEO_STATUSES, type VideoStatus } from "~db/schema";

/**
 * If the header has many columns, every short line becomes a row with as many columns: parsing 12 KB of such a table
 * took 1.8 s.
 */
const MAX_COLUMNS = 100;
/** The number of characters to parse between two checks of the clock. */
const PART_LENGTH = 256;

/** A row of a CSV or JSON file: strings by column, or arbitrary JSON values. */
export type TableRow = Record<string, unknown>;

/**
 * Reads the rows of a table: CSV with a header line, a JSON list of objects, or a JSON object of objects, whose keys
 * become the `file` column.
 *
 * @throws {ImportError} with the name of the file and the reason.
 */
export async function readTable(file: string): Promise<TableRow[]> {
  const text = await fs.readFile(file, "utf8").catch(() => {
    throw new ImportError(`Couldn't read ${file}.`);
  });
  try {
    return await parseTable(text, path.extname(file).toLowerCase() === ".json");
  } catch (error) {
    throw new ImportError(`Couldn't parse ${file}: ${(error as Error).message}`);
  }
}

/**
 * Parses a table's rows like `readTable`. Parses CSV in chunks, yielding to the event loop in between.
 *
 * @throws an Error with the reason.
 */
export async function parseTable(text: string, isJson: boolean): Promise<TableRow[]> {
  const plain = text.replace(/^\uFEFF/, "");
  return isJson ? fromJson(plain) : fromCsv(plain);
}

/** Reads a JSON file that contains one object. */
export async function readObject(file: string): Promise<TableRow> {
  try {
    const value: unknown = JSON.parse(await fs.readFile(file, "utf8"));
    if (isObject(value)) return value;
  } catch {
    // The error is reported below, with a more suitable message.
  }
  throw new ImportError(`${path.basename(file)} isn't a JSON object.`);
}

async function fromCsv(text: string): Promise<TableRow[]> {
  const parser = parse({
    columns: (header: string[]) => {
      if (header.length <= MAX_COLUMNS) return header.map((name) => name.trim());
      throw new Error(`it has more than ${MAX_COLUMNS} columns.`);
    },
    skip_empty_lines: true,
    trim: true,
    relax_column_count_less: true,
    delimiter: firstLine(text).includes(";") && !firstLine(text).includes(",") ? ";" : ",",
  });
  const rows: TableRow[] = [];
  for await (const row of Readable.from(inParts(text)).pipe(parser)) {
    const cells = Object.entries(row as Record<string, string>);
    rows.push(Object.fromEntries(cells.map(([name, cell]) => [name, fromCsvCell(cell)])));
  }
  return rows;
}

async function* inParts(text: string): AsyncGenerator<string> {
  const yieldIfDue = createYielder();
  for (let from = 0; from < text.length; from += PART_LENGTH) {
    await yieldIfDue();
    yield text.slice(from, from + PART_LENGTH);
  }
}

const firstLine = (text: string) => text.split(/\r?\n/, 1)[0] ?? "";

function fromJson(text: string): TableRow[] {
  const value: unknown = JSON.parse(text);
  const rows = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.entries(value).map(([file, row]) => (isObject(row) ? { file, ...row } : row))
      : [];
  if (!rows.every(isObject)) throw new Error("it isn't a list of objects.");
  return rows;
}

function isObject(value: unknown): value is TableRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Functions that each read one of a row's fields. They return undefined if the field is missing. */

export function textOf(row: TableRow, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = row[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

export function titleOf(row: TableRow): string | undefined {
  return checkedText(title, textOf(row, "title"));
}

export function descriptionOf(row: TableRow): string | undefined {
  return checkedText(description, textOf(row, "description"));
}

/** Reads a category, including legacy values, ignoring case. */
export function categoryOf(row: TableRow): string | undefined {
  const category = textOf(row, "category")?.toLowerCase();
  if (category === undefined) return undefined;
  if (toCategoryId(category) === undefined) {
    throw new ImportError(`unknown category "${category}".`);
  }
  return category;
}

/** Reads tags from a JSON list, a PostgreSQL array (`{a,"b c"}`), or a comma-separated string. */
export function tagsOf(row: TableRow): string[] | undefined {
  if (Array.isArray(row.tags)) return checkedText(tags, row.tags.map(String).join(","));
  const text = textOf(row, "tags");
  if (text === undefined) return undefined;
  if (text.startsWith("[")) {
    try {
      return tagsOf({ tags: JSON.parse(text) });
    } catch {
      throw new ImportError("the tags aren't a list.");
    }
  }
  const braced = /^\{(.*)\}$/s.exec(text)?.[1];
  return checkedText(tags, braced === undefined ? text : braced.replaceAll(/"|\bNULL\b/g, ""));
}

/** Reads series from an object that maps titles to positions, as written by the export. */
export function seriesOf(row: TableRow): Record<string, number> | undefined {
  let given = row.series;
  if (typeof given === "string" && given.trim() !== "") {
    try {
      given = JSON.parse(given);
    } catch {
      throw new ImportError("the series aren't a JSON object of titles and positions.");
    }
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const entries = Object.entries(given).map(([name, position]) => {
    const named = checkedText(title, name);
    if (named === undefined || !Number.isSafeInteger(position)) {
      throw new ImportError("the series aren't a JSON object of titles and positions.");
    }
    return [named, position as number] as const;
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Validates a text field against the site's rules. Returns undefined if it is missing. */
function checkedText<T>(schema: Parameters<typeof check<T>>[0], text: string | undefined) {
  if (text === undefined) return undefined;
  const checked = check(schema, text);
  if (!checked.ok) throw new ImportError(firstMessage(checked));
  return checked.value;
}

export function statusOf(row: TableRow): VideoStatus | undefined {
  const status = textOf(row, "status")?.toLowerCase();
  if (status === undefined) return undefined;
  const known = VIDEO_STATUSES.find((each) => each === status);
  if (!known) throw new ImportError(`unknown status "${status}".`);
  return known;
}

/** A video to import, with its known details. */
export interface ImportEntry {
  /** The name shown in reports: the path in the folder, or the row in an export. */
  name: string;
  /** The absolute path of the video file; undefined for a row that never had a file. */
  file: string | undefined;
  /** The absolute path of the thumbnail. */
  thumbnail?: string;
  /** The id in the earlier system, kept so that old links keep working. */
  id?: string;
  /** The path in the earlier system (`{userId}/{uploadId}`), which is kept if it is free. */
  basePath?: string;
  title: string;
  description: string;
  /** A stored value, which may be a legacy category. */
  category: string;
  tags: string[];
  /** The titles of the series that contain the video, with its position in each. */
  series?: Record<string, number>;
  status: VideoStatus;
  /** The duration given in the details, used only if the file doesn't contain one. */
  durationSeconds?: number;
  views?: number;
  /** ISO 8601 UTC. */
  createdAt?: string;
  updatedAt?: string;
}

/** Thrown if something can't be imported without a correction. The message says what to correct. */
export class ImportError extends Error {}

/** The reason given if a video without a category is skipped. */
export const NO_CATEGORY = "it has no category.";

/** An entry that won't be imported, with the reason. */
export interface ImportFailure {
  name: string;
  reason: string;
}

/** The entries to import, and the failures that are already known. */
export interface ImportPlan {
  entries: ImportEntry[];
  failures: ImportFailure[];
}

/** Records why an entry can't be imported. Rethrows internal errors. */
export function noteFailure(plan: ImportPlan, name: string, error: unknown): void {
  if (!(error instanceof ImportError)) throw error;
  plan.failures.push({ name, reason: error.message });
}

const MAX_ROWS = 1_000;

/** A video to download. */
interface AddressEntry {
  address: string;
  texts: NewVideoTexts;
  status: "published" | "review";
}

/**
 * Reads all rows of a table, or throws if any of them is invalid, so that a corrected table can be submitted again
 * without downloading a video twice. The columns are `address` and an upload's text fields (title, description,
 * category, tags, status).
 *
 * @param text CSV with a header line, or JSON.
 * @throws {ImportError} if the text is neither, or for the first invalid row.
 */
export async function planAddresses(text: string): Promise<AddressEntry[]> {
  const entries: AddressEntry[] = [];
  const yieldIfDue = createYielder();
  for (const [index, row] of (await rowsOf(text)).entries()) {
    await yieldIfDue();
    entries.push(entryOf(row, index));
  }
  return entries;
}

function entryOf(row: TableRow, index: number): AddressEntry {
  const field = (name: string) => String(row[name] ?? "");
  const tags = Array.isArray(row.tags) ? row.tags.join(",") : field("tags");
  const texts = check(newVideoTexts, {
    title: field("title"),
    description: field("description"),
    category: field("category").trim().toLowerCase(),
    tags,
    duration: "",
  });
  const address = (field("address") || field("url")).trim();
  const status = field("status").trim().toLowerCase() === "published" ? "published" : "review";
  const wrong = !address ? "it has no address." : !texts.ok ? firstMessage(texts) : undefined;
  if (wrong || !texts.ok) {
    const name = field("title").trim() || address || "untitled";
    throw new ImportError(`Row ${index + 1} (${name}): ${wrong} Nothing was imported.`);
  }
  return { address, texts: texts.value, status };
}

/**
 * Parses a table entered in a form.
 *
 * @throws {ImportError}
 */
export async function readTypedTable(text: string): Promise<TableRow[]> {
  try {
    return await parseTable(text, /^\s*[[{]/.test(text));
  } catch (error) {
    throw new ImportError(`Couldn't parse the table: ${(error as Error).message}`);
  }
}

async function rowsOf(text: string): Promise<TableRow[]> {
  const rows = await readTypedTable(text);
  if (rows.length === 0) throw new ImportError("The table has no rows.");
  if (rows.length > MAX_ROWS) throw new ImportError(`A table can have up to ${MAX_ROWS} rows.`);
  return rows;
}
