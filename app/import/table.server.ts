import fs from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { ImportError } from "./entry";

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
    return parseTable(text, path.extname(file).toLowerCase() === ".json");
  } catch (error) {
    throw new ImportError(`${file} cannot be understood: ${(error as Error).message}`);
  }
}

/** The rows of a table as `readTable` reads them. @throws an Error that says what is wrong with it. */
export function parseTable(text: string, isJson: boolean): TableRow[] {
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

function fromCsv(text: string): TableRow[] {
  const lines = parse(text, {
    columns: (header: string[]) => header.map((name) => name.trim()),
    skip_empty_lines: true,
    trim: true,
    relax_column_count_less: true,
    delimiter: firstLine(text).includes(";") && !firstLine(text).includes(",") ? ";" : ",",
  });
  return lines as TableRow[];
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
