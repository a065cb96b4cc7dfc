import { toCategoryId } from "~/shared/categories";
import { check, description, firstMessage, tags, title } from "~/shared/video-fields";
import { VIDEO_STATUSES, type VideoStatus } from "~db/schema";
import { ImportError } from "./entry";
import type { TableRow } from "./table.server";

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
