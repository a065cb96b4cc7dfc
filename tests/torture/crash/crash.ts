import fs from "node:fs";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { act } from "./actions";
import { check } from "./checks";
import { killCommand, startCommand } from "./commands";
import { kill } from "./kills";
import type { Video } from "./model";
import type { Session } from "./session";
import { operateWhileStopped } from "./stopped-site";

const KILLS = 1_000;
/** The number of simultaneous requests. */
const CONCURRENCY = 3;
const MAX_OPERATIONS_PER_KILL = 25;
/**
 * The number of videos after which the run continues with a new site, so that the checks after each start stay fast.
 */
const MAX_VIDEOS = 60;

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  return crash(seed, minutes === undefined ? KILLS : Number.POSITIVE_INFINITY, until);
}

/** Repeatedly kills a site that is processing requests, and compares its state with the changes it has acknowledged. */
export async function crash(
  seed: string,
  maxKills: number,
  until = Number.POSITIVE_INFINITY,
): Promise<Faults> {
  const faults: Faults = [];
  const kinds = new Map<string, number>();
  const count = (kind: string) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  let kills = 0;
  let operations = 0;
  let videos = 0;
  for (let part = 0; kills < maxKills && Date.now() < until; part++) {
    const site = new SiteProcess({
      ENCODER_CONCURRENCY: "1",
      ENCODER_MAX_HEIGHT: "240",
      ENCODER_FREE_BYTES: "1",
    });
    const backups = `${site.folder}-backups`;
    const folder = `${site.folder}-import`;
    const store = `${site.folder}-store`;
    for (const each of [backups, folder, store]) fs.mkdirSync(each);
    const random = createRandom(`${seed} ${part}`);
    const settings: Record<string, string> = {
      ...{ BACKUP_DIR: backups, BACKUP_KEEP: "1", IMPORT_DIR: folder },
      KEEP_SOURCES: random.pick(["always", "until-converted", "never"]),
      // Every other site keeps its files in a store, with an empty cache.
      ...(part % 2 === 1 && { STORAGE_URL: `file://${store}`, STORAGE_CACHE_BYTES: "0" }),
    };
    try {
      await site.start(settings);
      const cookie = await signInTo(site);
      const session: Session = {
        ...(settings.STORAGE_URL && { store }),
        site,
        folder,
        backups,
        settings,
        cookie,
        random,
        videos: [],
        faults,
        operations: 0,
      };
      while (session.videos.length < MAX_VIDEOS && kills < maxKills && Date.now() < until) {
        const before = faults.length;
        const killed = await killWhileWorking(session);
        killed.forEach(count);
        kills++;
        const found = await check(session, session.videos);
        const where = `part ${part}, kill ${kills}: ${killed.join(" and ")}`;
        const recent = [...faults.splice(before), ...found].map((fault) => `${fault} (${where})`);
        faults.push(...recent);
        for (const fault of recent) console.log(`FAULT  ${fault}`);
      }
      operations += session.operations;
      videos += session.videos.length;
    } finally {
      await site.remove();
      for (const each of [backups, folder, store])
        fs.rmSync(each, { recursive: true, force: true });
    }
  }
  const each = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
  console.log(`${kills} kills (${each}), ${operations} operations, ${videos} videos`);
  return [...new Set(faults)];
}

/**
 * Sends several requests at a time, and kills the site and any running command while the requests are in progress. Then
 * does what operators do while a site is stopped.
 * @returns what was killed.
 */
async function killWhileWorking(session: Session): Promise<string[]> {
  const { site, random } = session;
  const running = startCommand(session);
  const busy = new Set<Video>();
  let left = 1 + random.below(MAX_OPERATIONS_PER_KILL);
  let isKilled = false;
  const work = async () => {
    while (left-- > 0 && !isKilled) await act(session, busy);
  };
  const wait = random.below(1_500);
  const working = Promise.all(Array.from({ length: CONCURRENCY }, work));
  await Promise.race([
    working.then(() => undefined),
    new Promise((next) => setTimeout(next, wait)),
  ]);
  isKilled = true;
  const isCommandKilled = running && (await killCommand(running));
  const kind = await kill(site, random);
  await working;
  const killed: string[] = [kind, ...(isCommandKilled ? [running.name] : [])];
  if (kind !== "child processes") {
    killed.push(...(await operateWhileStopped(session)));
    await site.start();
  }
  if (running && /\n\s+at .+:\d+:\d+/.test(running.output()) && !isCommandKilled) {
    session.faults.push(`${running.name} failed: ${running.output().slice(0, 400)}`);
  }
  return killed;
}
