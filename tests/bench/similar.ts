import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { HASH_BYTES, PICTURES } from "~/media/fingerprints/perceptual-hash";
import { readSimilarFilms } from "~/media/fingerprints/similar-films.server";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { median, p95, type Report } from "./report";

const FILMS = Number(process.env.BENCH_ROWS) || 100_000;
const LENGTHS_SECONDS = 600;
const SEARCHES = 20;
const MOST_MS = 1_000;
/** Bits that are changed of each picture of a film that is to be found. */
const CHANGED_BITS = 6;

/** Finds a film that looks like one of a hundred thousand, all of them of about its length. */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-similar-"));
  const sqlite = openSqlite(path.join(folder, "site.sqlite"));
  try {
    migrate(sqlite);
    const add = sqlite.prepare("INSERT INTO video_fingerprints VALUES (?, ?, ?)");
    const films = Array.from({ length: FILMS }, () => randomBytes(PICTURES * HASH_BYTES));
    sqlite.transaction(() => {
      for (const [index, film] of films.entries()) {
        add.run(`v${index}`, LENGTHS_SECONDS + (index % 60), film);
      }
    })();
    const search = readSimilarFilms(sqlite);
    const times: number[] = [];
    let found = 0;
    for (let each = 0; each < SEARCHES; each++) {
      const index = (each * 7_919) % FILMS;
      const fingerprint = changed(films[index]!);
      const from = process.cpuUsage();
      const ids = search({ videoId: "new", seconds: LENGTHS_SECONDS + 30, fingerprint });
      const spent = process.cpuUsage(from);
      times.push((spent.user + spent.system) / 1_000);
      if (ids.length === 1 && ids[0] === `v${index}`) found += 1;
    }
    report.figure(`a film among ${FILMS.toLocaleString("en")}, median`, median(times), "ms of CPU");
    report.atMost("a film among them, p95", p95(times), MOST_MS, "ms of CPU");
    report.atLeast("found, and nothing else", found / SEARCHES, 1);
  } finally {
    sqlite.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function changed(film: Buffer): Uint8Array {
  const copy = Uint8Array.from(film);
  for (let picture = 0; picture < PICTURES; picture++) {
    for (let bit = 0; bit < CHANGED_BITS; bit++) {
      copy[picture * HASH_BYTES + bit]! ^= 1 << bit;
    }
  }
  return copy;
}
