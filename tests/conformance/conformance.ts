// npm run conformance: sends unusual files to a temporary site, and checks the results against
// docs/reference/formats.md
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { mapConcurrently } from "~/shared/map-concurrently";
import { runScript } from "../../scripts/run-script";
import { signInTo } from "../site-client";
import { SiteProcess } from "../site-process";
import { DAMAGED } from "./damaged";
import { createFile } from "./files";
import { type Kind, WHOLE } from "./kinds";
import { importFolder, type Result, sender } from "./send";
import { durationFaults, faultsOf, type Row } from "./watch";

const USAGE = `npm run conformance -- [options]

  --quick      check only responses and durations, and don't wait for conversions
  --only TEXT  check only the kinds whose group and name contain TEXT`;

const KINDS: readonly Kind[] = [...WHOLE, ...DAMAGED];
const POLL_INTERVAL_MS = 1_000;

await runScript(
  USAGE,
  { quick: { type: "boolean" }, only: { type: "string" } },
  async ({ quick = false, only = "" }) => {
    const kinds = KINDS.filter(({ name, group }) => `${group}: ${name}`.includes(only));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"));
    const site = new SiteProcess({ ENCODER_CONCURRENCY: "0" });
    try {
      const files = kinds.map((kind, index) => createFile(folder, kind, index));
      const faults = await compare(site, kinds, files, folder, quick);
      console.log(`\n${kinds.length} kinds, ${faults} faults`);
      if (faults > 0) process.exitCode = 1;
    } finally {
      await site.remove();
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Sends each file through the form, tus and an import. Prints all faults, and returns the number of faults. */
async function compare(
  site: SiteProcess,
  kinds: readonly Kind[],
  files: readonly string[],
  folder: string,
  quick: boolean,
): Promise<number> {
  await site.start();
  const send = sender(site, await signInTo(site));
  const imported = await importFolder(site, folder);
  clearVideos(site);
  let faults = 0;
  const report = (kind: Kind, found: string[]) => {
    faults += found.length;
    for (const fault of found) console.log(`FAIL  ${kind.group}: ${kind.name}: ${fault}`);
  };
  await mapConcurrently([...kinds.entries()], async ([index, kind]) => {
    const file = files[index]!;
    report(kind, resultFaults(kind, await send.tus(file), "tus"));
    const byImport = imported.get(path.basename(file));
    if (byImport) report(kind, importFaults(kind, byImport));
  });
  clearVideos(site);
  const uploaded = new Map<Kind, string>();
  await mapConcurrently([...kinds.entries()], async ([index, kind]) => {
    const file = files[index]!;
    const result = await send.form(file);
    report(kind, resultFaults(kind, result, "form"));
    const isIncomplete = result.outcome === "incomplete";
    const { videoId } = isIncomplete ? await send.form(file, { incomplete: "keep" }) : result;
    if (!videoId) return;
    uploaded.set(kind, videoId);
    const row = rowOf(site, videoId);
    report(kind, [...durationFaults(kind, row), ...playableFaults(kind, row)]);
    console.log(`      ${kind.group}: ${kind.name}: ${result.outcome}, ${row.duration}`);
  });
  if (quick) return faults;
  await site.stop();
  await site.start({ ENCODER_CONCURRENCY: "1" });
  for (const reason of await waitForJobs(site)) console.log(`FAIL  ${reason}`, void faults++);
  for (const [kind, id] of uploaded) report(kind, await faultsOf(site, kind, rowOf(site, id)));
  return faults;
}

/** Removes all rows, so that the same files don't count as duplicates when they are sent again. */
function clearVideos(site: SiteProcess): void {
  site.database().exec("DELETE FROM videos; DELETE FROM imports");
}

function rowOf(site: SiteProcess, id: string): Row {
  return site.database().prepare("SELECT * FROM videos WHERE id = ?").get(id) as Row;
}

function resultFaults({ outcome, message }: Kind, result: Result, method: string): string[] {
  const expected = outcome === "incomplete" || outcome === "refused" ? outcome : "published";
  if (result.outcome !== expected) {
    return [`${method}: ${result.outcome} instead of ${expected}. ${result.message}`];
  }
  const isExpected = !message || message.test(result.message);
  return isExpected ? [] : [`${method}: unexpected message: ${result.message}`];
}

/** An import can't ask what to do with an incomplete file, so the file is imported as a draft. */
function importFaults(kind: Kind, result: Result): string[] {
  const isDraft = result.outcome === "draft";
  return resultFaults(kind, isDraft ? { ...result, outcome: "incomplete" } : result, "import");
}

function playableFaults({ outcome }: Kind, { video_url }: Row): string[] {
  const isPlayable = video_url !== "";
  if (outcome === "incomplete" || isPlayable === (outcome === "played as is")) return [];
  return [isPlayable ? "unexpectedly played as is" : "unexpectedly converted"];
}

/** Waits until all jobs have finished, and returns the reasons why jobs failed. */
async function waitForJobs(site: SiteProcess): Promise<string[]> {
  const unfinished = site
    .database()
    .prepare(
      "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running') AND kind <> 'cleanup'",
    )
    .pluck();
  while ((unfinished.get() as number) > 0) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    const blocked = site
      .database()
      .prepare(
        `SELECT count(*) FROM jobs WHERE state = 'waiting' AND kind <> 'cleanup' AND EXISTS (
           SELECT 1 FROM jobs AS first WHERE first.video_id = jobs.video_id
             AND first.kind = 'transcode' AND first.state = 'failed')`,
      )
      .pluck()
      .get() as number;
    if ((unfinished.get() as number) === blocked) break;
  }
  return site
    .database()
    .prepare(
      `SELECT title || ': ' || kind || ' failed. ' || jobs.reason FROM jobs JOIN videos
         ON videos.id = jobs.video_id WHERE state = 'failed'`,
    )
    .pluck()
    .all() as string[];
}
