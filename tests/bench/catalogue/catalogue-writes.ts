import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { listPublished } from "~/features/catalogue/published-list.server";
import { catalogueVersion, ensureProjected } from "~db/changes.server";
import { projector, sqliteHandle } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { createProjector, projectAll } from "~db/projector.server";
import { cpuMs, longestBlock, median, p95, type Report, timed } from "../report";
import { INSERT_VIDEO } from "./catalogue-database";
import { generatedVideos } from "./generated-videos";
import { benchmarkHiding } from "./studio";

const INSERTED = 200;
const MAX_INSERT_MS = 2;
const BULK_INSERTED = 20_000;
const MAX_BULK_INSERT_MS = 2_000;
const ROUNDS = 3;
const MAX_BLOCKED_MS = 25;
/** The pause between two page requests during the measurement. */
const PAGE_INTERVAL_MS = 10;

/** Measures the cost of changes to the catalogue, including all derived data. */
export async function writes(report: Report, file: string): Promise<void> {
  await benchmarkSingleInserts(report);
  await benchmarkBulkInserts(report, file);
  await benchmarkHiding(report);
}

async function benchmarkSingleInserts(report: Report): Promise<void> {
  const sqlite = sqliteHandle();
  const insert = sqlite.prepare(INSERT_VIDEO);
  const plain = plainTable();
  const videos = [...generatedVideos(INSERTED, 11)];
  const times: number[] = [];
  const plainTimes: number[] = [];
  for (const video of videos) {
    const row = { ...video, id: `bench-${video.id}`, created_at: new Date().toISOString() };
    const { ms } = await timed(async () => {
      insert.run(row);
      await ensureProjected();
    });
    times.push(ms);
    plainTimes.push((await timed(() => plain.run(row))).ms);
  }
  report.atMost("inserting a video: p95", p95(times), MAX_INSERT_MS, "ms");
  report.figure("inserting a video: slowest", Math.max(...times), "ms");
  report.figure(
    "inserting a video: a table without indexes takes",
    median(plainTimes) / median(times),
    "times as long",
  );
}

/**
 * Returns a statement that inserts into a table without indexes. The table is in the catalogue's database file, so that
 * both measurements use the same disk.
 */
function plainTable() {
  const sqlite = sqliteHandle();
  sqlite.exec("CREATE TABLE bench_plain AS SELECT * FROM videos LIMIT 0");
  return sqlite.prepare(INSERT_VIDEO.replace("INTO videos", "INTO bench_plain"));
}

/**
 * Another process inserts 20,000 rows like the existing ones (random IDs and titles) with SQLite's defaults, one row
 * per statement, in one transaction. The measurement ends when totals and searches include these rows. Meanwhile, the
 * site serves pages. The limit applies to the CPU time of both processes, because the machine may be shared. The
 * elapsed time is printed, too.
 */
async function benchmarkBulkInserts(report: Report, file: string): Promise<void> {
  const name = `inserting ${BULK_INSERTED.toLocaleString("en")} videos`;
  const rounds: Awaited<ReturnType<typeof measureBulkInsert>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureBulkInsert(file, round));
  const middle = (key: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[key]));
  const cpu = middle("writing") + middle("projecting");
  report.atMost(`${name}, CPU time`, cpu, MAX_BULK_INSERT_MS, "ms");
  report.figure("  of the process that inserts them", middle("writing"), "ms");
  report.figure("  of the site until totals and searches include them", middle("projecting"), "ms");
  report.figure(`${name}, elapsed time`, middle("elapsed"), "ms");
  report.figure("  a page of home meanwhile, p95", middle("page"), "ms");
  const blocked = Math.min(...rounds.map((round) => round.blocked));
  report.atMost(`${name}: longest block of the serving thread`, blocked, MAX_BLOCKED_MS, "ms");
  report.figure(`${name} in memory, CPU time`, insertInMemory(), "ms");
}

async function measureBulkInsert(file: string, round: number) {
  const args = ["--import", "tsx", "tests/bench/catalogue/catalogue-writer.ts", file];
  const pages: number[] = [];
  let cpu = cpuMs();
  let wrote = { cpu: 0, wall: 0 };
  let projected = 0;
  const blocked = await longestBlock(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...args,
      String(BULK_INSERTED),
      String(100 + round),
    ]);
    wrote = JSON.parse(stdout);
    cpu = cpuMs();
    const started = performance.now();
    catalogueVersion();
    while (projector().waiting().last !== null) {
      catalogueVersion();
      pages.push((await timed(() => listPublished({ page: 1 + pages.length }))).ms);
      await setTimeout(PAGE_INTERVAL_MS);
    }
    projected = performance.now() - started;
  });
  return {
    writing: wrote.cpu,
    projecting: cpuMs() - cpu,
    elapsed: wrote.wall + projected,
    page: p95(pages),
    blocked,
  };
}

/**
 * Returns the CPU time that it takes to insert the same kind of rows into an empty in-memory database and update the
 * projections.
 */
function insertInMemory(): number {
  const sqlite = new Sqlite(":memory:");
  migrate(sqlite);
  const videos = [...generatedVideos(BULK_INSERTED, 13)];
  const insert = sqlite.prepare(INSERT_VIDEO);
  const started = cpuMs();
  sqlite.transaction(() => {
    for (const video of videos) insert.run(video);
  })();
  projectAll(createProjector(sqlite));
  return cpuMs() - started;
}
