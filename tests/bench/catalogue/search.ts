import { listCloseMatches, listPublished } from "~/features/catalogue/published-list.server";
import { suggestions } from "~/features/catalogue/search-suggestions.server";
import { isRelatedIndexComplete } from "~/features/watch/video.server";
import type { ListView } from "~/shared/list-view";
import { sqliteHandle } from "~db/client.server";
import { median, p95, type Report, timed } from "../report";
import { withCatalogue } from "./catalogue-database";
import { plainCatalogue } from "./plain-catalogue";

const VIDEOS = Number(process.env.BENCH_ROWS) || 100_000;
const MAX_PAGE_MS = 150;
const MAX_SUGGESTION_MS = 30;
const MIN_PLAIN_RATIO = 1;

/** Searches that match many of the generated videos. */
const BROAD = ["summer", "city", "beach", "night", "or", "el", "e", "island", "best", "black"];
const WORDS = ["beach summer", "city night", "lights day", "island best", "long city", "su be"];
const TYPED = ["summer beach", "city lights", "vintage", "night"];
const VIEWS: Record<string, Partial<ListView>> = {
  "sorted by relevance": { order: "relevance" },
  "sorted by views": { order: "views" },
  "with a tag, a length and without another tag": {
    ...{ order: "relevance", tags: ["city"], not: ["vintage"], length: "medium" },
  },
};

/** Measures the first page of broad searches with 100,000 videos, beside a search with LIKE. */
export function run(report: Report): Promise<void> {
  return withCatalogue(VIDEOS, async () => {
    while (!(await isRelatedIndexComplete()));
    await listPublished({ search: "warm-up", page: 1 });
    const plain = plainCatalogue(sqliteHandle());
    const like = "(title LIKE '%' || ? || '%' OR tags LIKE '%' || ? || '%')";
    const plainTimes = await timeEach(BROAD, async (text) =>
      plain.page({ where: like, order: "views DESC", values: [text, text], page: 1 }),
    );
    report.figure("a search with LIKE: median", median(plainTimes), "ms");
    for (const [name, view] of Object.entries(VIEWS)) {
      const times = await timeEach(BROAD, (search) =>
        listPublished({ search, view: { order: "newest", ...view }, page: 1 }),
      );
      report.atMost(`results ${name}: p95`, p95(times), MAX_PAGE_MS, "ms");
      const ratio = median(plainTimes) / median(times);
      report.atLeast(`results ${name}, median of LIKE / own`, ratio, MIN_PLAIN_RATIO);
    }
    const close = await timeEach(WORDS, (search) => listCloseMatches({ search, page: 1 }));
    report.atMost("close matches: p95", p95(close), MAX_PAGE_MS, "ms");
    const typed = TYPED.flatMap((text) => Array.from(text, (_, i) => text.slice(0, i + 1)));
    const suggested = await timeEach(typed, (text) => suggestions(text, undefined));
    report.atMost("suggestions: p95", p95(suggested), MAX_SUGGESTION_MS, "ms");
  });
}

/** Times one request for each text, because the pages of later ones could come from a cache. */
async function timeEach(
  texts: readonly string[],
  load: (text: string) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (const text of texts) times.push((await timed(() => load(text))).ms);
  return times;
}
