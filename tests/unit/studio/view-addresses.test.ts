import { expect, it } from "vitest";
import { manageHref, readManageView } from "~/features/library/list/manage-address";
import { readSeriesView, seriesHref } from "~/features/library/series/series-address";
import { readTagsView, tagsHref } from "~/features/library/tags/tags-address";
import { readTrashView, trashHref } from "~/features/trash/trash-address";

/** Its first 200 UTF-16 code units end within a character. */
const LONG = `x${"\u{1f600}".repeat(250)}`;

const PAGES: Record<string, [read: (asked: URLSearchParams) => string, write: string]> = {
  manage: [(asked) => readManageView(asked).search, manageHref(readManageView(of(LONG)))],
  series: [
    (asked) => readSeriesView(undefined, asked).search,
    seriesHref(readSeriesView(undefined, of(LONG))),
  ],
  tags: [(asked) => readTagsView(asked).search, tagsHref(readTagsView(of(LONG)))],
  trash: [(asked) => readTrashView(asked).search, trashHref(readTrashView(of(LONG)))],
};

function of(search: string): URLSearchParams {
  return new URLSearchParams({ search });
}

it.each(Object.entries(PAGES))(
  "%s truncates a long search between characters",
  (_, [read, address]) => {
    expect([...read(of(LONG))]).toHaveLength(200);
    const again = new URL(address, "https://site.example").searchParams;
    expect(read(again)).toBe(read(of(LONG)));
  },
);
