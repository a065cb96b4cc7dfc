import fs from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import { type Parser, parse } from "csv-parse";
import { eventLoopTurns } from "~/shared/event-loop";
import { fromCsvCell } from "~/shared/markup/csv";
import { ImportError } from "./entry";

/** A wide header makes each short line a wide row: 12 KB of such a table took 1.8 s. */
const MOST_COLUMNS = 100;
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
      if (header.length <= MOST_COLUMNS) return header.map((name) => name.trim());
      throw new Error(`it has more than ${MOST_COLUMNS} columns.`);
    },
    skip_empty_lines: true,
    trim: true,
    relax_column_count_less: true,
    delimiter: firstLine(text).includes(";") && !firstLine(text).includes(",") ? ";" : ",",
  });
  const rows: TableRow[] = [];
  parser.on("data", (row: Record<string, string>) => {
    rows.push(
      Object.fromEntries(Object.entries(row).map(([name, text]) => [name, fromCsvCell(text)])),
    );
  });
  await Promise.all([finished(parser), writeInParts(text, parser)]);
  return rows;
}

async function writeInParts(text: string, parser: Parser): Promise<void> {
  const turn = eventLoopTurns();
  for (let from = 0; from < text.length; from += PART_LENGTH) {
    await turn();
    await new Promise<void>((resolve, reject) => {
      // Called once it is parsed, not only buffered.
      parser.write(text.slice(from, from + PART_LENGTH), (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }
  parser.end();
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
