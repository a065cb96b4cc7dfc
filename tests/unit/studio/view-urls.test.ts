import { expect, it } from "vitest";
import { manageHref, readManageView } from "~/features/library/list/manage-address";
import { readSeriesView, seriesHref } from "~/features/library/series/series-address";
import { readTagsView, tagsHref } from "~/features/library/tags/tags-address";
import { readTrashView, trashHref } from "~/features/trash/trash-address";

/** Text whose first 200 UTF-16 code units end in the middle of a character. */
const LONG = `x${"\u{1f600}".repeat(250)}`;

const PAGES: Record<string, [read: (params: URLSearchParams) => string, write: string]> = {
  manage: [(params) => readManageView(params).search, manageHref(readManageView(of(LONG)))],
  series: [
    (params) => readSeriesView(undefined, params).search,
    seriesHref(readSeriesView(undefined, of(LONG))),
  ],
  tags: [(params) => readTagsView(params).search, tagsHref(readTagsView(of(LONG)))],
  trash: [(params) => readTrashView(params).search, trashHref(readTrashView(of(LONG)))],
};

function of(search: string): URLSearchParams {
  return new URLSearchParams({ search });
}

it.each(Object.entries(PAGES))(
  "truncates a long search query without splitting a character: %s",
  (_, [read, url]) => {
    expect([...read(of(LONG))]).toHaveLength(200);
    const again = new URL(url, "https://site.example").searchParams;
    expect(read(again)).toBe(read(of(LONG)));
  },
);
