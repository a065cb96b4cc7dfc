import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { listPublished, listTrending } from "~/catalogue/lists/listing.server";
import { findPublished, relatedIsComplete, relatedVideos } from "~/catalogue/video.server";
import { forgetSettings } from "~/server/settings.server";
import { storedValues } from "~/shared/categories";
import type { VideoPage } from "~/shared/video-card";
import { projected } from "~db/changes.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { catalogueDatabase } from "./catalogue-database";
import { randomFrom } from "./generated-videos";
import { type PlainQuestion, plainCatalogue } from "./plain-catalogue";
import { median, type Report } from "./report";

/** The limits are for a million; fewer are for trying it out. */
const VIDEOS = Number(process.env.BENCH_ROWS) || 1_000_000;
const CATEGORY = "desi";
const ROUNDS = 200;
const MOST_PAGE_MS = 10;
const MOST_FIRST_TOTAL_MS = 150;
const MOST_RELATED_MS = 25;
const MOST_RELATED_EVER_MS = 150;
const MOST_INSERT_MS = 2;
const MOST_DEEPEST_MS = 100;
const INSERTED_AT_ONCE = 20_000;
const MOST_INSERTING_MS = 2_000;
/** What may hold the thread that serves requests. */
const MOST_HELD_MS = 25;
const PLAIN_RELATED_ROUNDS = 2;

interface Case {
  what: string;
  page: number;
  load: (page: number) => Promise<VideoPage>;
  plain: Omit<PlainQuestion, "page">;
}

const search = (text: string, page = 1): Case => ({
  what: `search "${text}"`,
  page,
  load: (page) => listPublished({ search: text, page }),
  plain: {
    where: `(title LIKE '%' || ? || '%' OR EXISTS (
      SELECT 1 FROM json_each(tags) WHERE value LIKE '%' || ? || '%'))`,
    values: [text, text],
  },
});

const LISTS: Case[] = [
  { what: "home, page 1", page: 1, load: (page) => listPublished({ page }), plain: {} },
  { what: "home, page 1,000", page: 1_000, load: (page) => listPublished({ page }), plain: {} },
  { what: "home, page 60,000", page: 60_000, load: (page) => listPublished({ page }), plain: {} },
  ...[1, 1_000, 20_000].map((page) => ({
    what: `a category, page ${page.toLocaleString("en")}`,
    page,
    load: (page: number) => listPublished({ category: CATEGORY, page }),
    plain: {
      where: "category IN (?, ?)",
      values: storedValues(CATEGORY),
    },
  })),
  ...[1, 1_000, 58_000].map((page) => ({
    what: `trending, page ${page.toLocaleString("en")}`,
    page,
    load: (page: number) => listTrending({ page }),
    plain: { where: "views > 0", order: "views DESC, created_at DESC, number DESC" },
  })),
];
// More than 100,000 hits, its pages far behind, a rare one, and one of two letters.
const SEARCHES = [search("night"), search("night", 20_000), search("train summer"), search("an")];

/** The data of the public pages out of a million videos, beside the plain way, with equal results. */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-catalogue-"));
  const file = path.join(folder, "site.sqlite");
  fs.copyFileSync(catalogueDatabase(VIDEOS), file, fs.constants.COPYFILE_FICLONE);
  process.env.DATABASE_PATH = file;
  forgetSettings();
  try {
    startCheckpoints();
    const started = performance.now();
    while (!(await relatedIsComplete()));
    report.figure("reading all videos for related", performance.now() - started, "ms");
    // The thread's own start is no part of a search.
    await listPublished({ search: "warm-up", page: 1 });
    for (const each of LISTS) await compare(report, each);
    for (const each of SEARCHES) {
      const first = await timed(() => each.load(each.page));
      report.figure(`${each.what}: hits`, first.result.total, "videos");
      report.atMost(`${each.what}: first time with its total`, first.ms, MOST_FIRST_TOTAL_MS, "ms");
      await compare(report, each);
    }
    const ids = await videoPages(report);
    await holds(report, ids);
    await inserts(report);
  } finally {
    closeDatabase();
    delete process.env.DATABASE_PATH;
    forgetSettings();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(report: Report, { what, page, load, plain }: Case): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) times.push((await timed(() => load(page))).ms);
  const limit = page > 1_000 && !what.startsWith("search") ? MOST_DEEPEST_MS : MOST_PAGE_MS;
  report.atMost(`${what}: p95`, p95(times), limit, "ms");
  const ours = await load(page);
  const theirs = await timed(async () =>
    plainCatalogue(sqliteHandle()).page({ ...plain, page: ours.page }),
  );
  report.figure(`${what}: the plain way takes`, theirs.ms / median(times), "times as long");
  const equal =
    theirs.result.total === ours.total &&
    theirs.result.ids.join() === ours.videos.map(({ id }) => id).join();
  report.atLeast(`${what}: equal results`, Number(equal), 1);
}

/** How long all of it, each for the first time since a change, keeps the serving thread busy. */
async function holds(report: Report, ids: string[]): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (const each of [...LISTS, ...SEARCHES]) await each.load(each.page);
  for (const id of ids) {
    await findPublished(id);
    await relatedVideos(id);
  }
  delay.disable();
  report.atMost("the serving thread was held for", delay.max / 1e6, MOST_HELD_MS, "ms");
}

/** @returns the videos that were asked for. */
async function videoPages(report: Report): Promise<string[]> {
  const random = randomFrom(3);
  const all = sqliteHandle()
    .prepare("SELECT id FROM videos WHERE status = 'published'")
    .pluck()
    .all() as string[];
  const ids = Array.from({ length: ROUNDS }, () => all[Math.floor(random() * all.length)]!);
  const pages: number[] = [];
  const related: number[] = [];
  for (const id of ids) {
    pages.push((await timed(() => findPublished(id))).ms);
    related.push((await timed(() => relatedVideos(id))).ms);
  }
  report.atMost("a video: p95", p95(pages), MOST_PAGE_MS, "ms");
  report.atMost("related: p95", p95(related), MOST_RELATED_MS, "ms");
  report.atMost("related: slowest", Math.max(...related), MOST_RELATED_EVER_MS, "ms");
  for (const id of ids.slice(0, PLAIN_RELATED_ROUNDS)) {
    const plain = await timed(async () => plainCatalogue(sqliteHandle()).related(id, Date.now()));
    report.figure("related: the plain way takes", plain.ms / median(related), "times as long");
    const ours = (await relatedVideos(id)).map((video) => video.id);
    report.atLeast("related: equal results", Number(ours.join() === plain.result.join()), 1);
  }
  return ids;
}

async function inserts(report: Report): Promise<void> {
  const sqlite = sqliteHandle();
  const insert = sqlite.prepare(
    `INSERT INTO videos (id, title, category, tags)
     VALUES (?, 'Night train through the summer ' || ?, 'desi', '["night", "travel", "music"]')`,
  );
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    // With everything that is derived of it.
    const { ms } = await timed(async () => {
      insert.run(`bench-${i}`, i);
      await projected();
    });
    times.push(ms);
  }
  report.atMost("inserting a video: p95", p95(times), MOST_INSERT_MS, "ms");
  report.figure("inserting a video: slowest", Math.max(...times), "ms");
  const many = await timed(async () =>
    sqlite.transaction(() => {
      for (let i = 0; i < INSERTED_AT_ONCE; i += 1) insert.run(`bench-many-${i}`, i);
    })(),
  );
  const what = `inserting ${INSERTED_AT_ONCE.toLocaleString("en")} videos`;
  report.atMost(what, many.ms, MOST_INSERTING_MS, "ms");
  const rest = await timed(projected);
  report.figure(`${what}: until totals and searches have them`, rest.ms, "ms");
  sqlite.exec("DELETE FROM videos WHERE id >= 'bench-' AND id < 'bench.'");
  await projected();
}

async function timed<T>(load: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await load();
  return { result, ms: performance.now() - started };
}

function p95(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
