import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { listPublished } from "~/features/catalogue/published-list.server";
import { catalogueVersion, ensureProjected } from "~db/changes.server";
import { projector, sqliteHandle } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { createProjector, projectAll } from "~db/projector.server";
import { cpuMs, longestHold, median, p95, type Report, timed } from "../report";
import { INSERT_VIDEO } from "./catalogue-database";
import { generatedVideos } from "./generated-videos";
import { hiding } from "./studio";

const INSERTED = 200;
const MAX_INSERT_MS = 2;
const INSERTED_AT_ONCE = 20_000;
const MAX_INSERTING_MS = 2_000;
const ROUNDS = 3;
const MAX_HELD_MS = 25;
/** Between two pages that somebody asks for meanwhile. */
const PAGE_EVERY_MS = 10;

/** What changes of the catalogue cost, with everything that is derived of them. */
export async function writes(report: Report, file: string): Promise<void> {
  await insertingOne(report);
  await insertingMany(report, file);
  await hiding(report);
}

async function insertingOne(report: Report): Promise<void> {
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

/** In the same file, so that both wait for the same disk. */
function plainTable() {
  const sqlite = sqliteHandle();
  sqlite.exec("CREATE TABLE bench_plain AS SELECT * FROM videos LIMIT 0");
  return sqlite.prepare(INSERT_VIDEO.replace("INTO videos", "INTO bench_plain"));
}

/**
 * Another program, with SQLite's defaults, enters 20,000 rows like those that are there (random ids and
 * titles), one row a statement, in one transaction; it is over when the totals and every search have
 * them. Meanwhile the site goes on to serve. Judged by the processor time of both, for the machine may
 * be shared; the time that passed stands beside it.
 */
async function insertingMany(report: Report, file: string): Promise<void> {
  const what = `inserting ${INSERTED_AT_ONCE.toLocaleString("en")} videos`;
  const rounds: Awaited<ReturnType<typeof insertedByAnother>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await insertedByAnother(file, round));
  const of = (key: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[key]));
  report.atMost(`${what}, processor time`, of("writing") + of("following"), MAX_INSERTING_MS, "ms");
  report.figure("  of the program that enters them", of("writing"), "ms");
  report.figure("  of the site until totals and searches have them", of("following"), "ms");
  report.figure(`${what}, time that passed`, of("passed"), "ms");
  report.figure("  a page of home meanwhile, p95", of("page"), "ms");
  const held = Math.min(...rounds.map((round) => round.held));
  report.atMost(`${what}: the serving thread was held for`, held, MAX_HELD_MS, "ms");
  report.figure(`${what} in memory, processor time`, insertingInMemory(), "ms");
}

async function insertedByAnother(file: string, round: number) {
  const args = ["--import", "tsx", "tests/bench/catalogue/catalogue-writer.ts", file];
  const pages: number[] = [];
  let cpu = cpuMs();
  let wrote = { cpu: 0, wall: 0 };
  let followed = 0;
  const held = await longestHold(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...args,
      String(INSERTED_AT_ONCE),
      String(100 + round),
    ]);
    wrote = JSON.parse(stdout);
    cpu = cpuMs();
    const started = performance.now();
    catalogueVersion();
    while (projector().waiting().last !== null) {
      catalogueVersion();
      pages.push((await timed(() => listPublished({ page: 1 + pages.length }))).ms);
      await setTimeout(PAGE_EVERY_MS);
    }
    followed = performance.now() - started;
  });
  return {
    writing: wrote.cpu,
    following: cpuMs() - cpu,
    passed: wrote.wall + followed,
    page: p95(pages),
    held,
  };
}

/** The same rows into an empty database in memory, and projected. */
function insertingInMemory(): number {
  const sqlite = new Sqlite(":memory:");
  migrate(sqlite);
  const videos = [...generatedVideos(INSERTED_AT_ONCE, 13)];
  const insert = sqlite.prepare(INSERT_VIDEO);
  const started = cpuMs();
  sqlite.transaction(() => {
    for (const video of videos) insert.run(video);
  })();
  projectAll(createProjector(sqlite));
  return cpuMs() - started;
}
