import { useState } from "react";
import { type CategoryId, isCategoryId, shownCategories, toCategoryId } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { TextAreaField } from "~/ui/forms/field";
import type { QueueItem } from "./upload-queue";
import type { UploadQueue } from "./use-upload-queue";

/** Fills in the text fields of several files from pasted lines, one line per file in order. */
export function PasteLines({
  items,
  dispatch,
}: {
  /** The files that haven't been sent yet. */
  items: readonly QueueItem[];
  dispatch: UploadQueue["dispatch"];
}) {
  const [text, setText] = useState("");
  const [result, setResult] = useState("");

  function fill() {
    const { texts, unknown } = readPastedLines(text);
    for (const [index, own] of texts.entries()) {
      const item = items[index];
      if (item) dispatch({ type: "own", key: item.key, own });
    }
    const filled = Math.min(texts.length, items.length);
    setResult(
      [
        `${formatQuantity(filled, "video")} filled in.`,
        texts.length > items.length &&
          `${formatQuantity(texts.length - items.length, "line")} had no matching file.`,
        ...unknown.map(({ line, category }) => `Line ${line}: there is no category “${category}”.`),
      ]
        .filter(Boolean)
        .join(" "),
    );
  }

  return (
    <details className="rounded-lg border border-line bg-surface px-4 py-2">
      <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
        Paste titles, tags and categories
      </summary>
      <div className="flex flex-col gap-3 pb-2">
        <TextAreaField
          label="One line per file, in order"
          hint="title | tags | category. Parts you leave out don’t change."
          placeholder={"Night walk | city, night | Desi"}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="button" variant="secondary" disabled={text.trim() === ""} onClick={fill}>
            Fill in
          </Button>
          <p role="status" className="min-w-0 text-sm text-muted">
            {result}
          </p>
        </div>
      </div>
    </details>
  );
}

/** A file's text, parsed from its line; missing parts are undefined. */
interface PastedTexts {
  title?: string;
  tags?: string;
  category?: CategoryId;
}

interface PastedLines {
  /** One entry for each line. If a line is empty, its file's text stays unchanged. */
  texts: PastedTexts[];
  /** Unknown categories with their line numbers, starting at 1. */
  unknown: { line: number; category: string }[];
}

/**
 * Parses lines of `title | tags | category`, such as those copied from a spreadsheet: tabs also act as separators. A
 * category is matched by id or label, ignoring case. Trailing empty lines are ignored.
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
  const folded = fold(name);
  const byLabel = shownCategories().find(({ label }) => fold(label) === folded)?.id;
  const id = byLabel ?? toCategoryId(folded);
  return isCategoryId(id) ? id : undefined;
}
