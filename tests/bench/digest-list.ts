import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { importDigestList } from "~/features/processing/comparison/digest-list.server";
import { disableBusyTimeout, sqliteHandle, transaction } from "~db/client.server";
import { createWriteYielder, startCheckpoints } from "~db/threads/checkpoint.server";
import { useTemporarySite } from "../temporary-site";
import { longestHold, type Report } from "./report";

const DIGESTS = Number(process.env.BENCH_ROWS) || 500_000;
const MAX_TURN_MS = 25;
/** In one transaction, instead of what the site takes. */
const LARGER_BATCHES = [1_000, 10_000, DIGESTS];

/** Imports a long list of digests while others are served: compared with larger transactions. */
export async function run(report: Report): Promise<void> {
  const list = `${DIGESTS.toLocaleString("en")} digests`;
  const ours = await measured(async (file) => {
    const { added } = await importDigestList(file, { name: "list.txt", reason: "other" });
    report.atLeast(`${list}, added`, added, DIGESTS);
  });
  report.figure(list, ours.ms / 1_000, "s");
  // A busy machine stops an idle loop too.
  const idleMs = await longestHold(() => setTimeout(ours.ms));
  report.figure("an idle loop for as long: longest turn", idleMs, "ms");
  const limit = Math.max(MAX_TURN_MS, idleMs);
  report.atMost(`${list}: longest turn`, ours.longestMs, limit, "ms");
  for (const size of LARGER_BATCHES) {
    const other = await measured((file) => insertInBatches(file, size));
    const name = `inserted ${size.toLocaleString("en")} at once`;
    report.figure(`${name}: longest turn`, other.longestMs, "ms");
    report.figure(`${name}: times as long a turn`, other.longestMs / ours.longestMs, "");
    report.figure(`${name}, unchecked: time / time of the import`, other.ms / ours.ms, "");
  }
}

/** MD5 and SHA-256 by turns. */
const digest = (n: number) =>
  createHash(n % 2 ? "sha256" : "md5")
    .update(String(n))
    .digest("hex");

/** Work on a list, on a site of its own. The list is not in memory, where it would make each collection longer. */
async function measured(
  work: (file: string) => Promise<void>,
): Promise<{ longestMs: number; ms: number }> {
  const site = useTemporarySite();
  try {
    const file = path.join(site.folder, "list.txt");
    const output = fs.openSync(file, "w");
    for (let n = 0; n < DIGESTS; n++) fs.writeSync(output, `${digest(n)}\n`);
    fs.closeSync(output);
    // As on the site: no statement waits for the thread that makes checkpoints.
    disableBusyTimeout();
    startCheckpoints();
    const from = performance.now();
    const longestMs = await longestHold(() => work(file));
    return { longestMs, ms: performance.now() - from };
  } finally {
    await site.remove();
  }
}

async function insertInBatches(file: string, size: number): Promise<void> {
  const sqlite = sqliteHandle();
  sqlite.exec(
    `INSERT INTO blocked_videos (id, reason, blocked_at, state, digests) VALUES (1, 'other', '2026', 'none', 0)`,
  );
  const addMd5 = sqlite.prepare("INSERT INTO blocked_md5s (md5, blocked_video_id) VALUES (?, 1)");
  const addSha256 = sqlite.prepare(
    "INSERT INTO blocked_files (sha256, blocked_video_id) VALUES (?, 1)",
  );
  const yieldIfDue = createWriteYielder();
  let some: string[] = [];
  const add = async () => {
    await transaction(() => {
      for (const each of some) (each.length === 32 ? addMd5 : addSha256).run(each);
    });
    some = [];
    await yieldIfDue();
  };
  for await (const line of createInterface(fs.createReadStream(file))) {
    some.push(line);
    if (some.length === size) await add();
  }
  await add();
}
