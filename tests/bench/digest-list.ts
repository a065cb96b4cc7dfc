import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { importDigestList } from "~/features/processing/comparison/digest-list.server";
import { disableBusyTimeout, sqliteHandle, transaction } from "~db/client.server";
import { createWriteYielder, startCheckpoints } from "~db/threads/checkpoint.server";
import { useTemporarySite } from "../temporary-site";
import { longestBlock, type Report } from "./report";

const DIGESTS = Number(process.env.BENCH_ROWS) || 500_000;
const MAX_BLOCKED_MS = 25;
/** The transaction sizes, in rows, to compare with the site's batches. */
const LARGER_BATCHES = [1_000, 10_000, DIGESTS];

/**
 * Measures how long an import of a long list of digests blocks the thread, compared with imports in larger
 * transactions.
 */
export async function run(report: Report): Promise<void> {
  const list = `${DIGESTS.toLocaleString("en")} digests`;
  const ours = await measure(async (file) => {
    const { added } = await importDigestList(file, { name: "list.txt", reason: "other" });
    report.atLeast(`${list}, added`, added, DIGESTS);
  });
  report.figure(list, ours.ms / 1_000, "s");
  // On a busy machine, even an idle event loop is sometimes blocked.
  const idleMs = await longestBlock(() => setTimeout(ours.ms));
  report.figure("idle event loop for the same time: longest block", idleMs, "ms");
  const limit = Math.max(MAX_BLOCKED_MS, idleMs);
  report.atMost(`${list}: longest block`, ours.longestMs, limit, "ms");
  for (const size of LARGER_BATCHES) {
    const other = await measure((file) => insertInBatches(file, size));
    const name = `${size.toLocaleString("en")} rows per transaction`;
    report.figure(`${name}: longest block`, other.longestMs, "ms");
    report.figure(`${name}: block / block of the import`, other.longestMs / ours.longestMs, "");
    report.figure(`${name}, unchecked: time / time of the import`, other.ms / ours.ms, "");
  }
}

/** Returns alternating MD5 and SHA-256 digests. */
const digest = (n: number) =>
  createHash(n % 2 ? "sha256" : "md5")
    .update(String(n))
    .digest("hex");

/**
 * Measures work with a list on a new site. The list is stored in a file, because keeping it in memory would slow down
 * garbage collection.
 */
async function measure(
  work: (file: string) => Promise<void>,
): Promise<{ longestMs: number; ms: number }> {
  const site = useTemporarySite();
  try {
    const file = path.join(site.folder, "list.txt");
    const output = fs.openSync(file, "w");
    for (let n = 0; n < DIGESTS; n++) fs.writeSync(output, `${digest(n)}\n`);
    fs.closeSync(output);
    // As on the site, statements don't wait for the checkpoint thread.
    disableBusyTimeout();
    startCheckpoints();
    const start = performance.now();
    const longestMs = await longestBlock(() => work(file));
    return { longestMs, ms: performance.now() - start };
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
  let batch: string[] = [];
  const add = async () => {
    await transaction(() => {
      for (const each of batch) (each.length === 32 ? addMd5 : addSha256).run(each);
    });
    batch = [];
    await yieldIfDue();
  };
  for await (const line of createInterface(fs.createReadStream(file))) {
    batch.push(line);
    if (batch.length === size) await add();
  }
  await add();
}
