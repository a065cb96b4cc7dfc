import fs from "node:fs";
import path from "node:path";
import { mp4Clip } from "../../clips";
import { freePort } from "../../free-port";
import { sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults } from "../options";
import { marksIn, searchFolder } from "./marks";
import { newVisitor, type Visitor } from "./visitor";
import { addKnown, sendReport, sendUntilLimited, walk, walkWithFaults } from "./walk";

const BACKUP_TIMEOUT_MS = 60_000;
/** A wrapper that allows core dumps of the maximum size permitted for this user. */
const WITH_DUMPS = ["sh", "-c", 'ulimit -S -c "$(ulimit -H -c)"; exec "$@"', "sh"];

export interface VisitorFigures {
  requests: number;
  bytes: number;
  statuses: ReadonlyMap<number, number>;
}

/**
 * Visits a site with markers in every part of each request, then looks for those markers in everything that
 * the site has written.
 * @param share the fraction of the requests to send.
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
    const reported = await sendReport(visitor, known);
    if (reported !== 303) faults.push(`The report returned ${reported}`);
    await walk(visitor, known, share);
    if (share === 1) await sendUntilLimited(visitor);
    await walkWithFaults(visitor, known, share);
    await backUp(site, backups);
    const bytes = search(visitor, before, faults);
    // The next search covers what is written at shutdown and what remains of the database's write-ahead log.
    await site.stop();
    search(visitor, before, faults);
    // The next search covers what a crash leaves behind while a visitor's requests are in memory.
    await site.start();
    await walk(visitor, known, share / 10);
    await site.stop("SIGABRT");
    search(visitor, before, faults);
    faults.push(...missingStatuses(visitor, share));
    const requests = [...visitor.statuses.values()].reduce((sum, one) => sum + one, 0);
    return {
      faults: [...new Set(faults)],
      figures: { requests, bytes, statuses: visitor.statuses },
    };
  } finally {
    await site.remove();
  }
}

/** Statuses that the requests must cause in order to cover every failure. 0 stands for no response. */
const REQUIRED_STATUSES = [200, 400, 401, 403, 404, 405, 413, 415, 416, 429, 431, 500, 0];

/** Searches everything that the site has written: its folder, its output, and crash files in the current directory. */
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
  for (const name of dumps) faults.push(`${name} was left in the current directory`);
  return bytes + site.log.length;
}

/**
 * Returns the required statuses that didn't occur. Fewer statuses are required if only a random share of the requests
 * is sent, because it may not cause all of them.
 */
function missingStatuses({ statuses }: Visitor, share: number): Faults {
  const required = share < 1 ? [200, 404, 500] : REQUIRED_STATUSES;
  return required
    .filter((status) => !statuses.has(status))
    .map((status) => `No request returned ${status}`);
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
  const until = Date.now() + BACKUP_TIMEOUT_MS;
  let before = backups();
  const start = () => sendRequest(site, "POST", "/admin/backups", headers, "intent=back-up");
  for (let { status } = await start(); status >= 400; { status } = await start()) {
    // A scheduled backup is in progress that may have started before the visit.
    if (status !== 409 || Date.now() > until)
      throw new Error(`A backup request returned ${status}`);
    await new Promise((next) => setTimeout(next, 100));
    before = backups();
  }
  while (backups() <= before) {
    if (Date.now() > until) throw new Error("No backup was created");
    await new Promise((next) => setTimeout(next, 100));
  }
}
