import { listPublished, listTagged } from "~/features/catalogue/published-list.server";
import { alternativeSearches, suggestions } from "~/features/catalogue/search-suggestions.server";
import { isRelatedIndexComplete } from "~/features/watch/video.server";
import { CATEGORY_IDS } from "~/shared/categories";
import { LENGTHS, LIST_ORDERS } from "~/shared/list-view";
import { sqliteHandle } from "~db/client.server";
import { p95, type Report, timed } from "../report";
import { withCatalogue } from "./catalogue-database";

/** The limits apply to a million videos. Use fewer videos for trial runs. */
const VIDEOS = Number(process.env.BENCH_ROWS) || 1_000_000;
const ROUNDS = 100;
const MAX_PAGE_MS = 10;
const MAX_SUGGESTION_MS = 30;
const MAX_NEAREST_MS = 150;
const MAX_FIRST_TOTAL_MS = 150;
const LAST_PAGE = 1_000;

/** Search queries that are typed character by character: with many, few and no hits, and very short ones. */
const TYPED = ["night train", "velvet rooftop", "Österreich", "ночь", "ing the", "qqq", "an", "e"];
const MISTYPED = ["nigth", "sumer", "orchdi", "velvte rooftpo", "qqqqqqqq"];

/** Measures tags, suggestions, similar words, sort orders and filters with a million videos. */
export function run(report: Report): Promise<void> {
  return withCatalogue(VIDEOS, async () => {
    while (!(await isRelatedIndexComplete()));
    await listPublished({ search: "warm-up", page: 1 });
    await benchmarkTags(report);
    await benchmarkSearchField(report);
    await benchmarkOrders(report);
  });
}

async function benchmarkTags(report: Report): Promise<void> {
  const byUse = sqliteHandle()
    .prepare(
      `SELECT value AS tag, count(*) AS videos FROM videos, json_each(tags)
       WHERE status = 'published' GROUP BY lower(value) ORDER BY videos DESC`,
    )
    .all() as { tag: string; videos: number }[];
  for (const { tag, videos } of [byUse[0]!, byUse[300]!]) {
    const first = await timed(() => listTagged({ tag: tag.toLowerCase(), page: 1 }));
    report.figure(`tag "${tag}": first page, with its count`, first.ms, "ms");
    report.atLeast(`tag "${tag}": exact count`, Number(first.result.total === videos), 1);
    for (const page of [1, LAST_PAGE]) {
      const times = await timeRounds(() => listTagged({ tag: tag.toLowerCase(), page }));
      report.atMost(`tag "${tag}", page ${page}: p95`, p95(times), MAX_PAGE_MS, "ms");
    }
  }
}

async function benchmarkSearchField(report: Report): Promise<void> {
  const times: number[] = [];
  for (const text of TYPED) {
    let slowest = 0;
    for (let length = 1; length <= text.length; length += 1) {
      const { ms } = await timed(() => suggestions(text.slice(0, length), undefined));
      times.push(ms);
      slowest = Math.max(slowest, ms);
    }
    report.figure(`suggestions while typing "${text}": slowest`, slowest, "ms");
  }
  report.atMost("suggestions: p95", p95(times), MAX_SUGGESTION_MS, "ms");
  for (const text of MISTYPED) {
    const { ms, result } = await timed(() => alternativeSearches(text, undefined));
    report.atMost(`similar to "${text}": ${result.nearest ?? "nothing"}`, ms, MAX_NEAREST_MS, "ms");
  }
}

/** Loads pages for each sort order, length and category. Each round loads different pages. */
async function benchmarkOrders(report: Report): Promise<void> {
  const slowest = { first: 0, deep: 0 };
  const orders = LIST_ORDERS.filter(({ id }) => id !== "relevance");
  for (const { id: order } of orders) {
    for (const length of [undefined, ...LENGTHS.map(({ id }) => id)]) {
      const times: number[] = [];
      for (const category of [undefined, ...CATEGORY_IDS]) {
        const view = { order, length };
        const first = await timed(() => listPublished({ category, view, page: 1 }));
        slowest.first = Math.max(slowest.first, first.ms);
        for (let round = 0; round < ROUNDS; round += 1) {
          const page = 1 + ((round * 97) % LAST_PAGE);
          times.push((await timed(() => listPublished({ category, view, page }))).ms);
        }
      }
      slowest.deep = Math.max(slowest.deep, ...times);
      const what = `${order}, ${length ?? "any length"}, pages 1 to 1,000`;
      report.atMost(`${what}: p95`, p95(times), MAX_PAGE_MS, "ms");
    }
  }
  report.atMost("an order or length, first page", slowest.first, MAX_FIRST_TOTAL_MS, "ms");
  report.figure("an order or length, slowest page", slowest.deep, "ms");
}

async function timeRounds(load: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) times.push((await timed(load)).ms);
  return times;
}
