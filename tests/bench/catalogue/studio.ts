import { setTimeout } from "node:timers/promises";
import { changeVideos } from "~/features/library/bulk/bulk.server";
import { type ManageView, SORTS } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import { CATEGORY_IDS, storedValues } from "~/shared/categories";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { VIDEO_STATUSES } from "~db/schema";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { median, p95, type Report, timed } from "../report";
import { withCatalogue } from "./catalogue-database";
import { randomFrom } from "./generated-videos";
import { benchmarkStudioPages } from "./studio-pages";

const VIDEOS = Number(process.env.BENCH_ROWS) || 1_000_000;
const VIEWS = 400;
const PLAIN_VIEWS = 12;
const MANAGED_VIDEOS = 100_000;
const MAX_LIST_MS = 50;
const HIDDEN_VIDEOS = 1_000;
const HIDING_ROUNDS = 5;
const MAX_HIDING_MS = 500;
/** The pause between two rounds, during which an admin would select the next videos. */
const PAUSE_MS = 3_000;

/** Measures all studio pages and the manage list with 100,000 videos, and bulk hiding with a million videos. */
export async function run(report: Report): Promise<void> {
  await benchmarkStudioPages(report);
  await withCatalogue(MANAGED_VIDEOS, () => benchmarkManageList(report));
  await withCatalogue(VIDEOS, () => benchmarkHiding(report));
}

/** Loads the manage list with random filters, sort orders and pages. */
async function benchmarkManageList(report: Report): Promise<void> {
  const random = randomFrom(5);
  const filters = Array.from({ length: VIEWS }, () => randomView(random));
  const searches = filters.map((view) => ({ ...view, page: 1, search: randomWord(random) }));
  for (const view of filters.slice(0, 20)) await listManaged(view);
  const times = await timedEach(filters, listManaged);
  report.figure("manage list, median", median(times), "ms");
  report.atMost("manage list, p95", p95(times), MAX_LIST_MS, "ms");
  const found = await timedEach(searches, listManaged);
  report.figure("with a search text, median", median(found), "ms");
  report.figure("with a search text, p95", p95(found), "ms");
  const plain = await timedEach(filters.slice(0, PLAIN_VIEWS), plainList);
  report.figure("the simple query takes", median(plain) / median(times), "times as long");
  const plainFound = await timedEach(searches.slice(0, PLAIN_VIEWS), plainList);
  report.figure(
    "the simple query with a search text takes",
    median(plainFound) / median(found),
    "times as long",
  );
}

/**
 * Returns a random sort order, status and category. The page is usually one of the first, but about every tenth time it
 * can be any page.
 */
function randomView(random: () => number): ManageView {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return {
    sort: one(SORTS),
    status: random() < 0.5 ? one(VIDEO_STATUSES) : undefined,
    category: random() < 0.5 ? one(CATEGORY_IDS) : undefined,
    search: "",
    page: 1 + Math.floor(random() * (random() < 0.1 ? 20_000 : 5)),
  };
}

/** Returns a word from a random title, so that common words are searched for more often. */
function randomWord(random: () => number): string {
  const number = 1 + Math.floor(random() * MANAGED_VIDEOS);
  const title = sqliteHandle()
    .prepare("SELECT title FROM videos WHERE rowid >= ? LIMIT 1")
    .pluck()
    .get(number) as string;
  const words = title.toLowerCase().split(" ");
  return words[Math.floor(random() * words.length)] ?? "";
}

async function timedEach<T>(all: readonly T[], work: (each: T) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (const each of all) times.push((await timed(() => work(each))).ms);
  return times;
}

/** The simplest query, which counts and sorts all matches. */
function plainList(view: ManageView): unknown {
  const conditions = ["TRUE"];
  if (view.status) conditions.push("status = @status");
  if (view.category) conditions.push("category IN (SELECT value FROM json_each(@categories))");
  if (view.search) {
    conditions.push("(title LIKE '%' || @search || '%' OR tags LIKE '%' || @search || '%')");
  }
  const where = conditions.join(" AND ");
  const values = {
    ...view,
    status: view.status ?? null,
    category: view.category ?? null,
    categories: view.category ? JSON.stringify(storedValues(view.category)) : null,
  };
  const offset = (view.page - 1) * 50;
  const order = { newest: "created_at DESC", oldest: "created_at", views: "views DESC" };
  const by =
    {
      ...order,
      ...{
        title: "title",
        longest: "duration DESC",
        largest: "bytes DESC",
        schedule: "publish_at",
        alike: "id",
      },
    }[view.sort] ?? "";
  const sqlite = sqliteHandle();
  const total = sqlite.prepare(`SELECT count(*) FROM videos WHERE ${where}`).pluck().get(values);
  const rows = sqlite
    .prepare(
      `SELECT * FROM videos NOT INDEXED WHERE ${where} ORDER BY ${by} LIMIT 50 OFFSET @offset`,
    )
    .all({ ...values, offset });
  return { total, rows };
}

/** Measures bulk hiding. Adds an account to the database. */
export async function benchmarkHiding(report: Report): Promise<void> {
  const sqlite = sqliteHandle();
  startCheckpoints();
  sqlite.exec(
    "INSERT INTO users (id, email, password_hash) VALUES ('bench', 'b@example.com', 'x')",
  );
  const ids = sqlite
    .prepare("SELECT id FROM videos WHERE status = 'published' AND rowid % 173 = 0 LIMIT ?")
    .pluck()
    .all(HIDDEN_VIDEOS * HIDING_ROUNDS) as string[];
  const times: number[] = [];
  for (let round = 0; round < HIDING_ROUNDS; round += 1) {
    const batch = ids.slice(round * HIDDEN_VIDEOS, (round + 1) * HIDDEN_VIDEOS);
    const { ms } = await timed(async () => {
      await changeVideos({ action: "hide" }, batch, "bench");
      // The measurement includes all derived data.
      await ensureProjected();
    });
    times.push(ms);
    await setTimeout(PAUSE_MS);
  }
  report.atMost(
    `hiding ${HIDDEN_VIDEOS} videos, median of ${HIDING_ROUNDS}`,
    median(times),
    MAX_HIDING_MS,
    "ms",
  );
  report.figure("hiding, slowest", Math.max(...times), "ms");
}
