import fs from "node:fs";
import path from "node:path";
import { mp4Clip } from "../../clips";
import { freePort } from "../../free-port";
import { ask, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults } from "../options";
import { marksIn, searchFolder } from "./marks";
import { newVisitor, type Visitor } from "./visitor";
import { addKnown, report, untilTooMany, walk, walkWithFaults } from "./walk";

const BACKED_UP_WITHIN_MS = 60_000;
/** Runs a command that may leave a core dump, as far as the account may allow that. */
const WITH_DUMPS = ["sh", "-c", 'ulimit -S -c "$(ulimit -H -c)"; exec "$@"', "sh"];

export interface VisitorFigures {
  requests: number;
  bytes: number;
  statuses: ReadonlyMap<number, number>;
}

/**
 * A marked visitor walks through a site, and what that has written is searched.
 *
 * @param share of the walk that is gone.
 */
export async function runVisitor(
  seed: string,
  logFormat: "text" | "json",
  share = 1,
): Promise<{ faults: Faults; figures: VisitorFigures }> {
  const site = new SiteProcess({ LOG_FORMAT: logFormat }, WITH_DUMPS);
  const temporary = path.join(site.folder, "temporary");
  const backups = path.join(site.folder, "backups");
  for (const folder of [temporary, backups]) fs.mkdirSync(folder);
  const before = new Set(fs.readdirSync("."));
  try {
    site.url = `http://127.0.0.1:${await freePort()}`;
    await site.start({
      ...{ PUBLIC_URL: site.url, TMPDIR: temporary, BACKUP_DIR: backups, AGE_GATE: "on" },
      ...{
        COUNTRY_HEADER: "X-Country",
        COUNTRY_RULES: "FR=check,IT=closed,others=open,unknown=open",
      },
      AGE_CHECK_URL: "https://check.example/",
      AGE_CHECK_SECRET: "a secret of the torture, longer than 32",
    });
    const visitor = newVisitor(site, seed);
    const known = addKnown(site, fs.readFileSync(mp4Clip(1, "128x72")));
    const faults: Faults = [];
    const reported = await report(visitor, known);
    if (reported !== 303) faults.push(`The report was answered with ${reported}`);
    await walk(visitor, known, share);
    if (share === 1) await untilTooMany(visitor);
    await walkWithFaults(visitor, known, share);
    await backUp(site, backups);
    const bytes = search(visitor, before, faults);
    // What is written at the end, and what is left of the log of the database.
    await site.stop();
    search(visitor, before, faults);
    // And what a crash leaves, with a visitor's requests in memory.
    await site.start();
    await walk(visitor, known, share / 10);
    await site.stop("SIGABRT");
    search(visitor, before, faults);
    faults.push(...unmet(visitor, share));
    const requests = [...visitor.statuses.values()].reduce((sum, one) => sum + one, 0);
    return {
      faults: [...new Set(faults)],
      figures: { requests, bytes, statuses: visitor.statuses },
    };
  } finally {
    await site.remove();
  }
}

/** Statuses that the walk has to meet, or it has not tried what it is for. */
const MET = [200, 400, 401, 403, 404, 405, 413, 415, 416, 429, 431, 500, 0];

/** All that the site has written: its folder, what it printed, and what a crash leaves where it was started. */
function search({ site, marks }: Visitor, before: ReadonlySet<string>, faults: Faults): number {
  const { found, bytes } = searchFolder(marks, site.folder);
  faults.push(...found);
  const lines = site.log.split("\n");
  for (const line of lines) {
    for (const mark of marksIn(marks, Buffer.from(line))) faults.push(`${mark} is logged: ${line}`);
  }
  const dumps = fs
    .readdirSync(".")
    .filter((name) => /^(core|report)\b/.test(name) && !before.has(name));
  for (const name of dumps) faults.push(`${name} was left where the site was started`);
  return bytes + site.log.length;
}

/** Of the whole walk: by chance a part of it may leave one out. */
function unmet({ statuses }: Visitor, share: number): Faults {
  const met = share < 1 ? [200, 404, 500] : MET;
  return met
    .filter((status) => !statuses.has(status))
    .map((status) => `Nothing was answered with ${status}: the walk no longer tries it`);
}

async function backUp(site: SiteProcess, folder: string): Promise<void> {
  const headers = {
    Cookie: await signInTo(site),
    "Content-Type": "application/x-www-form-urlencoded",
  };
  const backups = () =>
    fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".sqlite") && !name.includes("unfinished")).length;
  const until = Date.now() + BACKED_UP_WITHIN_MS;
  let before = backups();
  const begun = () => ask(site, "POST", "/admin/backups", headers, "intent=back-up");
  for (let { status } = await begun(); status >= 400; { status } = await begun()) {
    // The one by the timetable is under way, and may have been before the visitor came.
    if (status !== 409 || Date.now() > until)
      throw new Error(`A backup was refused with ${status}`);
    await new Promise((next) => setTimeout(next, 100));
    before = backups();
  }
  while (backups() <= before) {
    if (Date.now() > until) throw new Error("There is no backup");
    await new Promise((next) => setTimeout(next, 100));
  }
}
