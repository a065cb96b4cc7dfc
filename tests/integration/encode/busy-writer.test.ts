import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { claim, reclaimFromDeadWorkers } from "~/features/processing/queue/queue.server";
import { startRunner } from "~/features/processing/queue/worker.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { disableBusyTimeout, sqliteHandle } from "~db/client.server";
import { command } from "../../command";
import { addToLibrary, jobRows } from "../../encode-library";
import { makeClip } from "../../media-clips";
import { until } from "../../process-figures";
import { useTemporarySite } from "../../temporary-site";

const AT_ONCE = 4;
const VIDEOS = 1 + 8 * AT_ONCE;
const KINDS = ["transcode", "captions"];
/** A script that reads and writes until it is killed, and holds the database's write lock most of the time. */
const BUSY_WRITER = `
  const database = new (require("better-sqlite3"))(process.argv[1], { timeout: 10_000 });
  const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  for (;;) {
    database.exec("BEGIN IMMEDIATE");
    database.exec("UPDATE videos SET views = views + 1");
    sleep(250);
    database.exec("COMMIT");
    sleep(25);
  }`;

let site: ReturnType<typeof useTemporarySite>;
let children: ChildProcess[] = [];
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  await site.remove();
});

function run(command: string, args: string[]): ChildProcess {
  const child = spawn(command, args, { env: process.env, stdio: "ignore" });
  children.push(child);
  return child;
}

describe.runIf(ffmpegAvailable())("two workers while another process keeps writing", () => {
  it("run each job only once, in a single attempt", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const ids: string[] = [];
    for (let count = 0; count < VIDEOS; count++) {
      ids.push(await addToLibrary(site.uploads, clip, true));
    }
    const sqlite = sqliteHandle();
    sqlite.exec(`
      UPDATE jobs SET state = 'done';
      CREATE TABLE seen (kind TEXT, video_id TEXT, state TEXT, worker TEXT, reason TEXT);
      CREATE TRIGGER see AFTER UPDATE OF state ON jobs BEGIN
        INSERT INTO seen VALUES (NEW.kind, NEW.video_id, NEW.state, NEW.worker, NEW.reason);
      END`);
    disableBusyTimeout();
    run(process.execPath, ["-e", BUSY_WRITER, sqlite.name]);
    const other = run(process.execPath, command("jobs", "--work"));
    const connection = new Sqlite(sqlite.name, { timeout: 10_000 });
    const enqueueJob = connection.prepare(
      `UPDATE jobs SET state = 'waiting' WHERE video_id = ? AND kind IN (${KINDS.map((kind) => `'${kind}'`)})`,
    );
    const ended = sqlite.prepare("SELECT count(*) FROM seen WHERE state = 'done'").pluck();
    const workers = sqlite.prepare("SELECT DISTINCT worker FROM seen WHERE state = 'running'");
    // Queue the first job only for the other worker, because that worker takes longer to start. Then add jobs until
    // both workers have run one.
    enqueueJob.run(ids[0]);
    await until(() => workers.all().length === 1);
    const runner = startRunner(1);
    let queuedCount = 1;
    while (workers.all().length < 2 && queuedCount < VIDEOS) {
      for (const id of ids.slice(queuedCount, queuedCount + AT_ONCE)) enqueueJob.run(id);
      queuedCount += AT_ONCE;
      await until(() => ended.get() === queuedCount * KINDS.length);
    }
    await runner.idle();
    await runner.stop();
    other.kill("SIGTERM");
    await once(other, "exit");
    connection.close();

    for (const id of ids.slice(0, queuedCount)) {
      for (const job of jobRows(id).filter(({ kind }) => KINDS.includes(kind))) {
        expect(job).toMatchObject({ state: "done", attempts: 1, reason: null });
      }
    }
    const changes = sqlite.prepare(
      "SELECT kind, video_id, state, count(*) AS times FROM seen GROUP BY 1, 2, 3",
    );
    expect((changes.all() as { times: number }[]).filter(({ times }) => times !== 1)).toEqual([]);
    expect(workers.all()).toHaveLength(2);
  }, 120_000);

  it("don't both take over a dead worker's job", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    const job = (await claim())!;
    const sqlite = sqliteHandle();
    sqlite.prepare("UPDATE jobs SET worker = ? WHERE id = ?").run(`${hostname()}/1/1`, job.id);
    const other = new Sqlite(sqlite.name, { timeout: 0 });
    const activateReplacement = other.prepare(
      "UPDATE jobs SET worker = 'elsewhere/1/1' WHERE state = 'running'",
    );
    // While this worker is checking whether the job's worker is alive, another worker tries to take over the job.
    let isTakenOver = false;
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      try {
        isTakenOver = activateReplacement.run().changes > 0;
      } catch (error) {
        expect(error).toMatchObject({ code: "SQLITE_BUSY" });
      }
      throw Object.assign(new Error("no such process"), { code: "ESRCH" });
    });
    await reclaimFromDeadWorkers();
    expect(kill).toHaveBeenCalled();
    kill.mockRestore();
    other.close();
    const isEnded = jobRows(id)[0]!.lease_until!.startsWith("1970");
    expect([isTakenOver, isEnded]).not.toEqual([true, true]);
  });

  it("keep trying to claim a queued job until the lock is released", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'transcode'");
    disableBusyTimeout();
    const other = new Sqlite(sqliteHandle().name);
    other.exec("BEGIN IMMEDIATE");
    // The other connection commits while the runner keeps retrying. The runner never blocks this thread.
    const commit = setTimeout(() => other.exec("COMMIT"), 1_000);
    const runner = startRunner(1);
    await runner.idle();
    await runner.stop();
    clearTimeout(commit);
    other.close();
    expect(jobRows(id)[0]).toMatchObject({ kind: "transcode", state: "done", attempts: 1 });
  });
});
