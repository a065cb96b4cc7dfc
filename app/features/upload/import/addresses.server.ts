import { eventLoopTurns } from "~/shared/event-loop";
import { check, firstMessage, type NewVideoTexts, newVideoTexts } from "~/shared/video-fields";
import { ImportError } from "./entry";
import { parseTable, type TableRow } from "./table.server";

const MOST_ROWS = 1_000;

/** A video to be fetched. */
export interface AddressEntry {
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
  const turn = eventLoopTurns();
  for (const [index, row] of (await rowsOf(text)).entries()) {
    await turn();
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

async function rowsOf(text: string): Promise<TableRow[]> {
  let rows: TableRow[];
  try {
    rows = await parseTable(text, /^\s*[[{]/.test(text));
  } catch (error) {
    throw new ImportError(`The table cannot be understood: ${(error as Error).message}`);
  }
  if (rows.length === 0) throw new ImportError("The table has no rows.");
  if (rows.length > MOST_ROWS) throw new ImportError(`A table has at most ${MOST_ROWS} rows.`);
  return rows;
}
