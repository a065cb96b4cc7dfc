// npm run conformance: sends unusual files to a site of its own and compares the results with docs/reference/formats.md
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { mapConcurrently } from "~/shared/map-concurrently";
import { runScript } from "../../scripts/run-script";
import { signInTo } from "../site-client";
import { SiteProcess } from "../site-process";
import { DAMAGED } from "./damaged";
import { makeFile } from "./files";
import { type Kind, WHOLE } from "./kinds";
import { type Answer, importFolder, sender } from "./send";
import { faultsOf, lengthFaults, type Row } from "./watch";

const USAGE = `npm run conformance -- [options]

  --quick      compares answers and lengths, and waits for no conversion
  --only TEXT  the kinds whose name holds the text`;

const KINDS: readonly Kind[] = [...WHOLE, ...DAMAGED];
const WAITS_MS = 1_000;

await runScript(
  USAGE,
  { quick: { type: "boolean" }, only: { type: "string" } },
  async ({ quick = false, only = "" }) => {
    const kinds = KINDS.filter(({ name, group }) => `${group}: ${name}`.includes(only));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"));
    const site = new SiteProcess({ ENCODER_CONCURRENCY: "0" });
    try {
      const files = kinds.map((kind, index) => makeFile(folder, kind, index));
      const faults = await compare(site, kinds, files, folder, quick);
      console.log(`\n${kinds.length} kinds, ${faults} faults`);
      if (faults > 0) process.exitCode = 1;
    } finally {
      await site.remove();
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Sends all files three ways; the number of faults, each of which is printed. */
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
  forget(site);
  let faults = 0;
  const tell = (kind: Kind, found: string[]) => {
    faults += found.length;
    for (const fault of found) console.log(`FAIL  ${kind.group}: ${kind.name}: ${fault}`);
  };
  await mapConcurrently([...kinds.entries()], async ([index, kind]) => {
    const file = files[index]!;
    tell(kind, answerFaults(kind, await send.tus(file), "tus"));
    const byImport = imported.get(path.basename(file));
    if (byImport) tell(kind, importFaults(kind, byImport));
  });
  forget(site);
  const made = new Map<Kind, string>();
  await mapConcurrently([...kinds.entries()], async ([index, kind]) => {
    const file = files[index]!;
    const answer = await send.form(file);
    tell(kind, answerFaults(kind, answer, "form"));
    const isAsked = answer.outcome === "asked";
    const { videoId } = isAsked ? await send.form(file, { incomplete: "keep" }) : answer;
    if (!videoId) return;
    made.set(kind, videoId);
    const row = rowOf(site, videoId);
    tell(kind, [...lengthFaults(kind, row), ...playableFaults(kind, row)]);
    console.log(`      ${kind.group}: ${kind.name}: ${answer.outcome}, ${row.duration}`);
  });
  if (quick) return faults;
  await site.stop();
  await site.start({ ENCODER_CONCURRENCY: "1" });
  for (const reason of await finished(site)) console.log(`FAIL  ${reason}`, void faults++);
  for (const [kind, id] of made) tell(kind, await faultsOf(site, kind, rowOf(site, id)));
  return faults;
}

/** Without their rows the same files are no duplicates for the next way in. */
function forget(site: SiteProcess): void {
  site.database().exec("DELETE FROM videos; DELETE FROM imports");
}

function rowOf(site: SiteProcess, id: string): Row {
  return site.database().prepare("SELECT * FROM videos WHERE id = ?").get(id) as Row;
}

function answerFaults({ outcome, message }: Kind, answer: Answer, way: string): string[] {
  const wanted = outcome === "asked" || outcome === "refused" ? outcome : "published";
  if (answer.outcome !== wanted) {
    return [`by ${way} it is ${answer.outcome}, not ${wanted}. ${answer.message}`];
  }
  const isTold = !message || message.test(answer.message);
  return isTold ? [] : [`by ${way} it is told: ${answer.message}`];
}

/** Nobody is there to be asked: what is cut off becomes a draft. */
function importFaults(kind: Kind, answer: Answer): string[] {
  const asked: Answer = answer.outcome === "draft" ? { ...answer, outcome: "asked" } : answer;
  return answerFaults(kind, asked, "import");
}

function playableFaults({ outcome }: Kind, { video_url }: Row): string[] {
  const isPlayable = video_url !== "";
  if (outcome === "asked" || isPlayable === (outcome === "as it is")) return [];
  return [isPlayable ? "it is played as it is" : "it is prepared first"];
}

/** Waits until nothing is left to be made; why what failed has failed. */
async function finished(site: SiteProcess): Promise<string[]> {
  const left = site
    .database()
    .prepare(
      "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running') AND kind <> 'cleanup'",
    )
    .pluck();
  while ((left.get() as number) > 0) {
    await new Promise((resolve) => setTimeout(resolve, WAITS_MS));
    const blocked = site
      .database()
      .prepare(
        `SELECT count(*) FROM jobs WHERE state = 'waiting' AND kind <> 'cleanup' AND EXISTS (
           SELECT 1 FROM jobs AS first WHERE first.video_id = jobs.video_id
             AND first.kind = 'transcode' AND first.state = 'failed')`,
      )
      .pluck()
      .get() as number;
    if ((left.get() as number) === blocked) break;
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
