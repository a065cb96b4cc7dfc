import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { CATEGORY_IDS } from "~/catalogue/categories";
import { forgetSettings } from "~/server/settings.server";
import { changeVideos } from "~/studio/bulk.server";
import { listManaged } from "~/studio/list.server";
import { type ManageView, SORTS } from "~/studio/manage-address";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { VIDEO_STATUSES } from "~db/schema";
import { catalogueDatabase } from "./catalogue-database";
import { randomFrom } from "./generated-videos";
import { median, type Report } from "./report";

const VIDEOS = 1_000_000;
const VIEWS = 400;
const PLAIN_VIEWS = 12;
const MOST_LIST_MS = 20;
const HIDDEN_AT_ONCE = 1_000;
const HIDING_ROUNDS = 5;
const MOST_HIDING_MS = 200;

/** The manage list under filters, and bulk hiding, on a million videos. */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-studio-"));
  const file = path.join(folder, "site.sqlite");
  // Hiding changes it; the one that is kept serves other benchmarks.
  fs.copyFileSync(catalogueDatabase(VIDEOS), file, fs.constants.COPYFILE_FICLONE);
  Object.assign(process.env, { DATABASE_PATH: file, UPLOADS_DIR: path.join(folder, "uploads") });
  forgetSettings();
  try {
    await lists(report);
    await hiding(report);
  } finally {
    closeDatabase();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function lists(report: Report): Promise<void> {
  const views = manageViews();
  for (const view of views.slice(0, 20)) await listManaged(view);
  const times: number[] = [];
  for (const view of views) times.push(await timed(() => listManaged(view)));
  const plain: number[] = [];
  for (const view of views.slice(0, PLAIN_VIEWS)) plain.push(await timed(() => plainList(view)));
  report.figure("manage list, median", median(times), "ms");
  report.atMost("manage list, p95", quantile(times, 0.95), MOST_LIST_MS, "ms");
  report.figure("manage list, slowest", Math.max(...times), "ms");
  report.figure("the plain query, median", median(plain), "ms");
  report.figure("the plain query, p95", quantile(plain, 0.95), "ms");
}

/** Any order, status and category; a third with a search text; mostly the first pages. */
function manageViews(): ManageView[] {
  const random = randomFrom(5);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const titles = sqliteHandle()
    .prepare("SELECT title FROM videos WHERE rowid % 1009 = 0")
    .pluck()
    .all() as string[];
  return Array.from({ length: VIEWS }, () => ({
    sort: one(SORTS),
    status: random() < 0.5 ? one(VIDEO_STATUSES) : undefined,
    category: random() < 0.5 ? one(CATEGORY_IDS) : undefined,
    search: random() < 0.33 ? one(one(titles).split(" ")).toLowerCase() : "",
    page: random() < 0.9 ? 1 + Math.floor(random() * 5) : 1 + Math.floor(random() * 20_000),
  }));
}

/** What one would write first: count, then sort what matches. */
function plainList(view: ManageView): unknown {
  const conditions = ["TRUE"];
  if (view.status) conditions.push("status = @status");
  if (view.category) conditions.push("shelf = @category");
  if (view.search) {
    conditions.push("(title LIKE '%' || @search || '%' OR tags LIKE '%' || @search || '%')");
  }
  const where = conditions.join(" AND ");
  const values = { ...view, status: view.status ?? null, category: view.category ?? null };
  const offset = (view.page - 1) * 50;
  const order = { newest: "created_at DESC", oldest: "created_at", views: "views DESC" };
  const by =
    { ...order, title: "title", longest: "duration DESC", largest: "bytes DESC" }[view.sort] ?? "";
  const sqlite = sqliteHandle();
  const total = sqlite.prepare(`SELECT count(*) FROM videos WHERE ${where}`).pluck().get(values);
  const rows = sqlite
    .prepare(
      `SELECT * FROM videos NOT INDEXED WHERE ${where} ORDER BY ${by} LIMIT 50 OFFSET @offset`,
    )
    .all({ ...values, offset });
  return { total, rows };
}

async function hiding(report: Report): Promise<void> {
  const sqlite = sqliteHandle();
  sqlite.exec(
    "INSERT INTO users (id, email, password_hash) VALUES ('bench', 'b@example.com', 'x')",
  );
  const ids = sqlite
    .prepare("SELECT id FROM videos WHERE status = 'published' AND rowid % 173 = 0 LIMIT ?")
    .pluck()
    .all(HIDDEN_AT_ONCE * HIDING_ROUNDS) as string[];
  const times: number[] = [];
  for (let round = 0; round < HIDING_ROUNDS; round += 1) {
    const some = ids.slice(round * HIDDEN_AT_ONCE, (round + 1) * HIDDEN_AT_ONCE);
    times.push(await timed(() => changeVideos({ action: "hide" }, some, "bench")));
  }
  report.atMost(
    `hiding ${HIDDEN_AT_ONCE} videos at once, median of ${HIDING_ROUNDS}`,
    median(times),
    MOST_HIDING_MS,
    "ms",
  );
  report.figure("hiding, slowest", Math.max(...times), "ms");
}

async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
