import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replicationState } from "~db/litestream.server";
import { command } from "../../command";
import { until } from "../../process-figures";
import { Litestream } from "../../servers/litestream";
import { SiteProcess } from "../../site-process";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const WRITE_EVERY_MS = 20;
const ROWS_BEFORE_THE_KILL = 150;
/**
 * The age of the oldest change that can be lost: `sync-interval` in docs/litestream.yml plus the time that Litestream
 * takes to send the changes.
 */
const MAX_LOST_MS = 1_000;

describe("with Litestream", () => {
  let site: SiteProcess;
  let litestream: Litestream;
  beforeEach(async () => {
    site = new SiteProcess({ LITESTREAM: "on" });
    litestream = new Litestream(site.databasePath, path.join(site.folder, "replica"));
    await site.start();
    litestream.start();
  });
  afterEach(async () => {
    await litestream.stop("SIGKILL");
    await site.remove();
  });

  function restored(): Sqlite.Database {
    const file = path.join(site.folder, "restored.sqlite");
    for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
    litestream.restore(file);
    return new Sqlite(file);
  }

  /** Writes a numbered row with the current time as its title, as another tool might. */
  function writeRow(number: number): void {
    site.addVideo({ id: `row-${number}`, title: String(Date.now()) });
  }

  it("loses at most the last second of changes when all processes are killed", async () => {
    let written = 0;
    const writing = setInterval(() => writeRow(++written), WRITE_EVERY_MS);
    await until(() => written >= ROWS_BEFORE_THE_KILL && litestream.segmentTimes().length >= 3);
    // The last row is written in the same tick of the event loop in which both processes are killed.
    writeRow(++written);
    clearInterval(writing);
    const killed = Promise.all([site.stop("SIGKILL"), litestream.stop("SIGKILL")]);
    const killedAt = Date.now();
    await killed;

    const copy = restored();
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
    const rows = copy
      .prepare(
        "SELECT CAST(substr(id, 5) AS INTEGER) AS number, CAST(title AS INTEGER) AS at FROM videos WHERE id LIKE 'row-%' ORDER BY number",
      )
      .all() as { number: number; at: number }[];
    copy.close();
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.length).toBeGreaterThan(0);
    // On a busy machine, Litestream may not have been scheduled in time. Its log shows when it last sent something, so
    // a delay before the kill isn't counted as a loss.
    const waited = Math.max(0, killedAt - litestream.segmentTimes().at(-1)! - MAX_LOST_MS);
    expect(killedAt - rows.at(-1)!.at).toBeLessThanOrEqual(MAX_LOST_MS + 200 + waited);
  });

  it("reports whether Litestream is up to date, or is behind because it was killed", async () => {
    const health = async () => (await fetch(`${site.url}/healthz`)).json();
    writeRow(1);
    await until(async () => (await health()).litestream === "following");
    await litestream.stop("SIGKILL");
    writeRow(2);
    await until(async () => (await health()).litestream === "behind");
    litestream.start();
    await until(async () => (await health()).litestream === "following");
    expect(replicationState(`${site.databasePath}.other`)).toEqual({
      state: "never",
      copiedAt: null,
    });
  });

  it("restores a backup, after which the replica starts a new generation", async () => {
    const script = (name: string, ...args: string[]) =>
      spawnSync(process.execPath, command(name, ...args), {
        cwd: root,
        encoding: "utf8",
        env: { ...process.env, DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
      });
    const backup = path.join(site.folder, "backup");
    writeRow(1);
    expect(script("backup", backup).status).toBe(0);
    writeRow(2);
    site.database().close();
    await site.stop();
    // Litestream also has the database open.
    const rejected = script("restore", backup);
    expect([rejected.status, rejected.stderr]).toEqual([
      1,
      "The site or Litestream is running. Stop both, then try again.\n",
    ]);
    await litestream.stop();
    const done = script("restore", backup);
    expect(done.stderr).toBe("");
    await site.start();
    litestream.log = "";
    litestream.start();
    await until(() => litestream.log.includes("snapshot written"));
    expect(litestream.log).toContain('msg="sync: new generation"');
    const copy = restored();
    const ids = copy.prepare("SELECT id FROM videos WHERE id LIKE 'row-%'").pluck().all();
    copy.close();
    expect(ids).toEqual(["row-1"]);
  });
});
