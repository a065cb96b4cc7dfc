import fs from "node:fs";
import path from "node:path";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { createProjector } from "~db/projector.server";
import { median, type Report } from "./report";

const VIDEOS = 10_000;
const ROUNDS = 5;
const ROUND_MS = 1_000;
const BATCH_ROWS = 100;
/** The minimum is low, because a busy disk slows down single rows more than it slows down batches. */
const MIN_SPEEDUP = 2;

/**
 * Measures how many row changes per second SQLite commits, including derived data: one per transaction with the site's
 * settings, one per transaction with a sync to disk, and a hundred per transaction, as when the site writes views.
 */
export async function run(report: Report): Promise<void> {
  // The folder is on the repository's disk, because /tmp may be in memory.
  const cache = process.env.BENCH_CACHE ?? ".cache/bench";
  fs.mkdirSync(cache, { recursive: true });
  const folder = fs.mkdtempSync(path.join(cache, "writes-"));
  const sqlite = openSqlite(path.join(folder, "site.sqlite"));
  try {
    migrate(sqlite);
    const insert = sqlite.prepare(
      "INSERT INTO videos (id, title, category) VALUES (?, 'A title of some words', 'desi')",
    );
    sqlite.transaction(() => {
      for (let index = 0; index < VIDEOS; index++) insert.run(`v${index}`);
    })();
    const projector = createProjector(sqlite);
    while (projector.waiting().last !== null) sqlite.transaction(() => projector.run(1_000))();

    const view = sqlite.prepare("UPDATE videos SET views = views + 1 WHERE id = ?");
    let count = 0;
    const change = (rows: number) =>
      sqlite
        .transaction(() => {
          for (let row = 0; row < rows; row++) view.run(`v${(count++ * 7919) % VIDEOS}`);
          projector.run(rows);
        })
        .immediate();
    const cases = {
      normal: { rows: 1, synchronous: "NORMAL" },
      full: { rows: 1, synchronous: "FULL" },
      batch: { rows: BATCH_ROWS, synchronous: "NORMAL" },
    } as const;
    const rates: Record<keyof typeof cases, number[]> = { normal: [], full: [], batch: [] };
    for (let round = 0; round < ROUNDS; round++) {
      // The variants alternate, so that other work on the machine affects all of them.
      for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
        const { rows, synchronous } = cases[name];
        sqlite.pragma(`synchronous = ${synchronous}`);
        rates[name].push(rate(() => change(rows), rows));
      }
    }
    report.figure("one row per transaction, as the site writes", median(rates.normal), "rows/s");
    report.figure("the same with synchronous=FULL", median(rates.full), "rows/s");
    report.figure(`${BATCH_ROWS} rows per transaction`, median(rates.batch), "rows/s");
    report.atLeast(
      `${BATCH_ROWS} rows per transaction / one row`,
      median(rates.batch) / median(rates.normal),
      MIN_SPEEDUP,
      "times",
    );
  } finally {
    sqlite.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function rate(work: () => void, rows: number): number {
  const started = performance.now();
  let done = 0;
  for (; performance.now() - started < ROUND_MS; done += rows) work();
  return (done * 1000) / (performance.now() - started);
}
