import { type CategoryId, isCategoryId, shownCategories, toCategoryId } from "~/shared/categories";
import { fold } from "~/shared/fold";

/** The texts of one file, as a line says them; what it leaves out is undefined. */
interface PastedTexts {
  title?: string;
  tags?: string;
  category?: CategoryId;
}

export interface PastedLines {
  /** One for each line. An empty line stands for a file that stays as it is. */
  texts: PastedTexts[];
  /** What of the lines names no category, with its line from 1. */
  unknown: { line: number; category: string }[];
}

/**
 * Reads lines of `title | tags | category`, such as a spreadsheet or a list has them: tabs separate as
 * well. A category is named by its id or by its label, whatever its case. Empty lines at the end count not.
 */
export function readPastedLines(text: string): PastedLines {
  const lines = text
    .trimEnd()
    .split(/\r\n?|\n/)
    .map((line) => line.split(/[|\t]/).map((part) => part.trim()));
  const unknown: PastedLines["unknown"] = [];
  const texts = lines.map(([title, tags, named = ""], index) => {
    const category = named === "" ? undefined : categoryNamed(named);
    if (named !== "" && !category) unknown.push({ line: index + 1, category: named });
    return { ...(title && { title }), ...(tags && { tags }), ...(category && { category }) };
  });
  return { texts: text.trim() === "" ? [] : texts, unknown };
}

function categoryNamed(name: string): CategoryId | undefined {
  const asked = fold(name);
  const labelled = shownCategories().find(({ label }) => fold(label) === asked)?.id;
  const id = labelled ?? toCategoryId(asked);
  return isCategoryId(id) ? id : undefined;
}
