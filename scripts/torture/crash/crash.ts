import fs from "node:fs";
import { signInTo } from "../../../tests/site-client";
import { SiteProcess } from "../../../tests/site-process";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { act } from "./actions";
import { check } from "./checks";
import { KILLS, kill } from "./kills";
import type { Film } from "./model";
import type { Session } from "./session";

const KILLS_OF_A_RUN = 1_000;
/** Requests that are under way at once. */
const AT_ONCE = 3;
const MOST_OPERATIONS_BETWEEN = 25;
/** A site of its own begins with more films than this: what each start checks stays little. */
const MOST_FILMS = 60;

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  return crash(seed, minutes === undefined ? KILLS_OF_A_RUN : Number.POSITIVE_INFINITY, until);
}

/** Kills a site again and again while it works, and compares what it has with what it has answered. */
export async function crash(
  seed: string,
  most: number,
  until = Number.POSITIVE_INFINITY,
): Promise<Faults> {
  const faults: Faults = [];
  const kinds = new Map(KILLS.map((kind) => [kind, 0]));
  let kills = 0;
  let operations = 0;
  let films = 0;
  for (let part = 0; kills < most && Date.now() < until; part++) {
    const site = new SiteProcess({
      ENCODER_CONCURRENCY: "1",
      ENCODER_MAX_HEIGHT: "240",
      ENCODER_FREE_BYTES: "1",
    });
    const backups = `${site.folder}-backups`;
    const folder = `${site.folder}-import`;
    for (const each of [backups, folder]) fs.mkdirSync(each);
    try {
      await site.start({ BACKUP_DIR: backups, BACKUP_KEEP: "1", IMPORT_DIR: folder });
      const random = createRandom(`${seed} ${part}`);
      const cookie = await signInTo(site);
      const session: Session = { site, cookie, random, folder, films: [], faults, operations: 0 };
      while (session.films.length < MOST_FILMS && kills < most && Date.now() < until) {
        const before = faults.length;
        const kind = await killWhileWorking(session);
        kinds.set(kind, kinds.get(kind)! + 1);
        kills++;
        const found = await check(site, session.films);
        faults.push(...found.map((fault) => `${fault} (part ${part}, kill ${kills}: ${kind})`));
        for (const fault of faults.slice(before)) console.log(`FAULT  ${fault}`);
      }
      operations += session.operations;
      films += session.films.length;
    } finally {
      await site.remove();
      for (const each of [backups, folder]) fs.rmSync(each, { recursive: true, force: true });
    }
  }
  const each = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
  console.log(`${kills} kills (${each}), ${operations} operations, ${films} films`);
  return [...new Set(faults)];
}

/** Works on the site with several requests at once, and kills it while they are under way. */
async function killWhileWorking(session: Session): ReturnType<typeof kill> {
  const { site, random } = session;
  const busy = new Set<Film>();
  let left = 1 + random.below(MOST_OPERATIONS_BETWEEN);
  let isKilled = false;
  const work = async () => {
    while (left-- > 0 && !isKilled) await act(session, busy);
  };
  const wait = random.below(1_500);
  const working = Promise.all(Array.from({ length: AT_ONCE }, work));
  await Promise.race([
    working.then(() => undefined),
    new Promise((next) => setTimeout(next, wait)),
  ]);
  isKilled = true;
  const kind = await kill(site, random);
  await working;
  if (kind !== "programs") await site.start();
  return kind;
}
