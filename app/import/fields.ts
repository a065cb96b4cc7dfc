import { toCategoryId } from "~/catalogue/categories";
import { parseTags } from "~/studio/tags";
import { MAX_DESCRIPTION_LETTERS, MAX_TITLE_LETTERS } from "~/studio/upload-fields";
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
  const title = textOf(row, "title")?.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  if (title && title.length > MAX_TITLE_LETTERS) {
    throw new ImportError(`its title has more than ${MAX_TITLE_LETTERS} characters.`);
  }
  return title;
}

export function descriptionOf(row: TableRow): string | undefined {
  const description = textOf(row, "description")?.replaceAll("\r\n", "\n");
  if (description && description.length > MAX_DESCRIPTION_LETTERS) {
    throw new ImportError(`its description has more than ${MAX_DESCRIPTION_LETTERS} characters.`);
  }
  return description;
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
  const { tags } = row;
  if (Array.isArray(tags)) return checkedTags(tags.map(String).join(","));
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
  return checkedTags(braced === undefined ? text : braced.replaceAll(/"|\bNULL\b/g, ""));
}

function checkedTags(text: string): string[] {
  const tags = parseTags(text);
  if (typeof tags === "string") throw new ImportError(tags);
  return tags;
}

export function statusOf(row: TableRow): VideoStatus | undefined {
  const status = textOf(row, "status")?.toLowerCase();
  if (status === undefined) return undefined;
  const known = VIDEO_STATUSES.find((each) => each === status);
  if (!known) throw new ImportError(`its status "${status}" is none of the site's.`);
  return known;
}
