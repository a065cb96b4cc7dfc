import { listPublished, listTrending } from "~/features/catalogue/published-list.server";
import {
  findPublished,
  isRelatedIndexComplete,
  relatedVideos,
} from "~/features/watch/video.server";
import { storedValues } from "~/shared/categories";
import type { VideoPage } from "~/shared/video-card";
import { disableBusyTimeout, sqliteHandle } from "~db/client.server";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { longestBlock, median, p95, type Report, timed } from "../report";
import { withCatalogue } from "./catalogue-database";
import { writes } from "./catalogue-writes";
import { randomFrom } from "./generated-videos";
import { type PlainQuery, plainCatalogue } from "./plain-catalogue";

/** The limits apply to a million videos. Use fewer videos for trial runs. */
const VIDEOS = Number(process.env.BENCH_ROWS) || 1_000_000;
const CATEGORY = "desi";
const ROUNDS = 200;
const FIRST_PAGES = 1_000;
const MAX_PAGE_MS = 10;
const MAX_DEEPEST_MS = 100;
const MAX_FIRST_TOTAL_MS = 150;
const MAX_RELATED_MS = 25;
const MAX_SLOWEST_RELATED_MS = 150;
/** The longest time for which anything may block the thread that serves requests. */
const MAX_BLOCKED_MS = 25;
const BLOCK_ROUNDS = 3;
const PLAIN_RELATED_ROUNDS = 2;

interface List {
  name: string;
  load: (page: number) => Promise<VideoPage>;
  plain: Omit<PlainQuery, "page">;
}

const LISTS: List[] = [
  { name: "home", load: (page) => listPublished({ page }), plain: {} },
  {
    name: "a category",
    load: (page) => listPublished({ category: CATEGORY, page }),
    plain: { where: "category IN (?, ?)", values: storedValues(CATEGORY) },
  },
  {
    name: "trending",
    load: (page) => listTrending({ page }),
    plain: { where: "views > 0", order: "views DESC, created_at DESC, number DESC" },
  },
];

const search = (text: string): List => ({
  name: `search "${text}"`,
  load: (page) => listPublished({ search: text, page }),
  plain: {
    where: `(title LIKE '%' || ? || '%' OR EXISTS (
      SELECT 1 FROM json_each(tags) WHERE value LIKE '%' || ? || '%'))`,
    values: [text, text],
  },
});
// Searches with more than 100,000 hits, with few hits, and with only two characters.
const SEARCHES = [search("night"), search("train summer"), search("an")];

/**
 * Loads the data of public pages from a million videos, and compares the times and results with those of simple
 * queries.
 */
export function run(report: Report): Promise<void> {
  return withCatalogue(VIDEOS, async (file) => {
    // The site also calls these functions before it serves requests.
    disableBusyTimeout();
    startCheckpoints();
    const started = performance.now();
    while (!(await isRelatedIndexComplete()));
    report.figure("reading all videos for related videos", performance.now() - started, "ms");
    // This search starts the query thread, so that the start isn't measured.
    await listPublished({ search: "warm-up", page: 1 });
    for (const list of LISTS) await benchmarkPages(report, list);
    for (const each of SEARCHES) {
      const first = await timed(() => each.load(1));
      report.figure(`${each.name}: hits`, first.result.total, "videos");
      const name = `${each.name}: first page with its total`;
      report.atMost(`${name}, CPU time`, first.cpu, MAX_FIRST_TOTAL_MS, "ms");
      report.figure(`${name}, elapsed time`, first.ms, "ms");
      await compare(report, each, "repeated", () => 1, MAX_PAGE_MS);
    }
    await compare(report, SEARCHES[0]!, "page 10,000", () => 10_000, MAX_PAGE_MS);
    const ids = await benchmarkVideoPages(report);
    await benchmarkBlocking(report, ids);
    await writes(report, file);
  });
}

/** Measures the first pages, the last page, and the middle page, which is the farthest from both ends. */
async function benchmarkPages(report: Report, list: List): Promise<void> {
  const random = randomFrom(7);
  const { pageCount } = await list.load(1);
  const first = () => 1 + Math.floor(random() * Math.min(FIRST_PAGES, pageCount));
  await compare(report, list, `first ${FIRST_PAGES} pages`, first, MAX_PAGE_MS);
  const middle = Math.ceil(pageCount / 2);
  await compare(report, list, "deepest page", () => middle, MAX_DEEPEST_MS, 20);
  await compare(report, list, "last page", () => pageCount, MAX_DEEPEST_MS, 20);
}

async function compare(
  report: Report,
  { name, load, plain }: List,
  which: string,
  page: () => number,
  limit: number,
  rounds = ROUNDS,
): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) times.push((await timed(() => load(page()))).ms);
  report.atMost(`${name}, ${which}: p95`, p95(times), limit, "ms");
  const ours = await load(page());
  const simple = await timed(async () =>
    plainCatalogue(sqliteHandle()).page({ ...plain, page: ours.page }),
  );
  report.figure(
    `${name}, ${which}: the simple query takes`,
    simple.ms / median(times),
    "times as long",
  );
  const equal =
    simple.result.total === ours.total &&
    simple.result.ids.join() === ours.videos.map(({ id }) => id).join();
  report.atLeast(`${name}, ${which}: equal results`, Number(equal), 1);
}

/**
 * Measures how long loading lists and searches blocks the serving thread. Uses the minimum of several rounds, because
 * other work on the machine also blocks threads.
 */
async function benchmarkBlocking(report: Report, ids: string[]): Promise<void> {
  const blocked: number[] = [];
  for (let round = 0; round < BLOCK_ROUNDS; round += 1) {
    blocked.push(
      await longestBlock(async () => {
        for (const { load } of [...LISTS, ...SEARCHES]) {
          const { pageCount } = await load(1);
          for (const page of [FIRST_PAGES, Math.ceil(pageCount / 2), pageCount]) await load(page);
        }
        for (const id of ids) {
          await findPublished(id);
          await relatedVideos(id);
        }
      }),
    );
  }
  const longest = Math.min(...blocked);
  report.atMost("reading: longest block of the serving thread", longest, MAX_BLOCKED_MS, "ms");
}

/** @returns the IDs of the requested videos. */
async function benchmarkVideoPages(report: Report): Promise<string[]> {
  const random = randomFrom(3);
  const all = sqliteHandle()
    .prepare("SELECT id FROM videos WHERE status = 'published'")
    .pluck()
    .all() as string[];
  const ids = Array.from({ length: ROUNDS }, () => all[Math.floor(random() * all.length)]!);
  const pages: number[] = [];
  const related: number[] = [];
  const elapsed: number[] = [];
  for (const id of ids) {
    pages.push((await timed(() => findPublished(id))).ms);
    const { ms, cpu } = await timed(() => relatedVideos(id));
    related.push(cpu);
    elapsed.push(ms);
  }
  report.atMost("a video: p95", p95(pages), MAX_PAGE_MS, "ms");
  report.atMost("related, CPU time: p95", p95(related), MAX_RELATED_MS, "ms");
  report.atMost("related, CPU time: slowest", Math.max(...related), MAX_SLOWEST_RELATED_MS, "ms");
  report.figure("related, elapsed time: p95", p95(elapsed), "ms");
  for (const id of ids.slice(0, PLAIN_RELATED_ROUNDS)) {
    const plain = await timed(async () => plainCatalogue(sqliteHandle()).related(id, Date.now()));
    report.figure("related: scoring all videos takes", plain.ms / median(related), "times as long");
    const ours = (await relatedVideos(id)).map((video) => video.id);
    report.atLeast("related: equal results", Number(ours.join() === plain.result.join()), 1);
  }
  return ids;
}
