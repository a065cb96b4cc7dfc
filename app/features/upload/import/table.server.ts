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

/** A wide header makes each short line a wide row: 12 KB of such a table took 1.8 s. */
const MAX_COLUMNS = 100;
/** Characters that are parsed between two looks at the clock. */
const PART_LENGTH = 256;

/** A row of a CSV or JSON file: texts by column, whatever JSON had. */
export type TableRow = Record<string, unknown>;

/**
 * The rows of a table that somebody wrote or exported: CSV with a header line, a JSON list of
 * objects, or a JSON object of objects, whose names then stand in the column `file`.
 *
 * @throws {ImportError} with the file's name and what is wrong with it.
 */
export async function readTable(file: string): Promise<TableRow[]> {
  const text = await fs.readFile(file, "utf8").catch(() => {
    throw new ImportError(`${file} cannot be read.`);
  });
  try {
    return await parseTable(text, path.extname(file).toLowerCase() === ".json");
  } catch (error) {
    throw new ImportError(`${file} cannot be understood: ${(error as Error).message}`);
  }
}

/**
 * The rows of a table as `readTable` reads them. CSV is parsed in parts, between which the thread
 * serves others.
 *
 * @throws an Error that says what is wrong with it.
 */
export async function parseTable(text: string, isJson: boolean): Promise<TableRow[]> {
  const plain = text.replace(/^\uFEFF/, "");
  return isJson ? fromJson(plain) : fromCsv(plain);
}

/** The one object of a JSON file. */
export async function readObject(file: string): Promise<TableRow> {
  try {
    const value: unknown = JSON.parse(await fs.readFile(file, "utf8"));
    if (isObject(value)) return value;
  } catch {
    // Said below, as what it is for whoever wrote the file.
  }
  throw new ImportError(`${path.basename(file)} beside it is no JSON object.`);
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
  if (!rows.every(isObject)) throw new Error("it is no list of objects.");
  return rows;
}

function isObject(value: unknown): value is TableRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of a row that somebody else wrote, each undefined when the row does not have it. */

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

/** A stored value, legacy ones included, by its id in whatever case. */
export function categoryOf(row: TableRow): string | undefined {
  const category = textOf(row, "category")?.toLowerCase();
  if (category === undefined) return undefined;
  if (toCategoryId(category) === undefined) {
    throw new ImportError(`its category "${category}" is none of the site's.`);
  }
  return category;
}

/** A JSON list, a list of PostgreSQL (`{a,"b c"}`), or texts between commas. */
export function tagsOf(row: TableRow): string[] | undefined {
  if (Array.isArray(row.tags)) return checkedText(tags, row.tags.map(String).join(","));
  const text = textOf(row, "tags");
  if (text === undefined) return undefined;
  if (text.startsWith("[")) {
    try {
      return tagsOf({ tags: JSON.parse(text) });
    } catch {
      throw new ImportError("its tags are no list.");
    }
  }
  const braced = /^\{(.*)\}$/s.exec(text)?.[1];
  return checkedText(tags, braced === undefined ? text : braced.replaceAll(/"|\bNULL\b/g, ""));
}

/** An object of titles and positions, as the export of the catalogue has it. */
export function seriesOf(row: TableRow): Record<string, number> | undefined {
  let given = row.series;
  if (typeof given === "string" && given.trim() !== "") {
    try {
      given = JSON.parse(given);
    } catch {
      throw new ImportError("its series are no JSON object of titles and positions.");
    }
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const entries = Object.entries(given).map(([name, position]) => {
    const named = checkedText(title, name);
    if (named === undefined || !Number.isSafeInteger(position)) {
      throw new ImportError("its series are no JSON object of titles and positions.");
    }
    return [named, position as number] as const;
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** A text as the rules of the site take it; undefined when there is none. */
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
  if (!known) throw new ImportError(`its status "${status}" is none of the site's.`);
  return known;
}

/** A video to be imported into the catalogue, with what is known of it. */
export interface ImportEntry {
  /** What the operator calls it: the path below the folder, or a row of an export. */
  name: string;
  /** The absolute path of the video; undefined for a row that never had a file. */
  file: string | undefined;
  /** The absolute path of a picture for it. */
  thumbnail?: string;
  /** Kept from an earlier system, so that old links go on working. */
  id?: string;
  /** Where the file stood in an earlier system: `{userId}/{uploadId}`, kept when it is free. */
  basePath?: string;
  title: string;
  description: string;
  /** A stored value, legacy ones included. */
  category: string;
  tags: string[];
  /** The titles of the series it is put into, with its position in each. */
  series?: Record<string, number>;
  status: VideoStatus;
  /** What is believed; the file's own length wins. */
  durationSeconds?: number;
  views?: number;
  /** ISO 8601 UTC. */
  createdAt?: string;
  updatedAt?: string;
}

/** Something that cannot be imported as it is; the sentence says what to correct. */
export class ImportError extends Error {}

/** Why a video is left out of which nothing says its category. */
export const NO_CATEGORY = "it has no category.";

/** Something that is not imported, and why. */
export interface ImportFailure {
  name: string;
  reason: string;
}

/** What is to be imported, and what is known beforehand that it cannot be. */
export interface ImportPlan {
  entries: ImportEntry[];
  failures: ImportFailure[];
}

/** Notes why something cannot be imported; a fault of ours is thrown on. */
export function noteFailure(plan: ImportPlan, name: string, error: unknown): void {
  if (!(error instanceof ImportError)) throw error;
  plan.failures.push({ name, reason: error.message });
}

const MAX_ROWS = 1_000;

/** A video to be fetched. */
interface AddressEntry {
  address: string;
  texts: NewVideoTexts;
  status: "published" | "review";
}

/**
 * All rows of a table, or none: a table that is corrected and sent again must not fetch a video twice.
 * It has a column `address`, and the texts of an upload: title, description, category,
 * tags, status.
 *
 * @param text CSV with a header line, or JSON.
 * @throws {ImportError} when it is neither, or for the first row that is wrong.
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
    const name = field("title").trim() || address || "it";
    throw new ImportError(`Row ${index + 1} (${name}): ${wrong} Nothing is brought in.`);
  }
  return { address, texts: texts.value, status };
}

/** The rows of a table that was typed into a form. @throws {ImportError} when it is none. */
export async function readTypedTable(text: string): Promise<TableRow[]> {
  try {
    return await parseTable(text, /^\s*[[{]/.test(text));
  } catch (error) {
    throw new ImportError(`The table cannot be understood: ${(error as Error).message}`);
  }
}

async function rowsOf(text: string): Promise<TableRow[]> {
  const rows = await readTypedTable(text);
  if (rows.length === 0) throw new ImportError("The table has no rows.");
  if (rows.length > MAX_ROWS) throw new ImportError(`A table has at most ${MAX_ROWS} rows.`);
  return rows;
}
