import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { command } from "../../command";
import { filesBelow } from "../../encode-library";
import { makeClip } from "../../media-clips";
import { until } from "../../process-figures";
import { SiteProcess } from "../../site-process";
import { slowFfmpeg } from "../../slow-ffmpeg";
import { encodersIn, WorkerProcess } from "../../workers/worker-process";

/** A site that converts nothing by itself, and workers that know its address and their token alone. */
let site: SiteProcess;
let workers: WorkerProcess[];
beforeEach(async () => {
  site = new SiteProcess();
  workers = [];
  await site.start();
});
afterEach(async () => {
  for (const worker of workers) await worker.remove();
  await site.remove();
});

function addWorker(name: string): WorkerProcess {
  const worker = new WorkerProcess(site, name);
  workers.push(worker);
  return worker;
}

/** The environment of a worker that encodes a film at so many times the speed of playing it. */
const slow = (speed = 1) => ({ PATH: slowFfmpeg(site.folder, speed) });

let number = 1_700_000_000_000;

/** Asks for the stream of a film, and for what else the queue makes of it. */
function addFilm(seconds: number, kinds = ["ladder"]): string {
  const clip = makeClip(site.folder, `film-${seconds}`, {
    seconds,
    output: ["-movflags", "+faststart"],
  });
  const video_url = site.addFile("videos", `u/${number++}.mp4`, fs.readFileSync(clip));
  const id = site.addVideo({ title: `The film ${number}`, video_url });
  const add = site
    .database()
    .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, ?, 40)");
  for (const kind of kinds) add.run(id, kind);
  return id;
}

const jobOf = (id: string, kind = "ladder") =>
  site.database().prepare("SELECT * FROM jobs WHERE video_id = ? AND kind = ?").get(id, kind) as {
    state: string;
    attempts: number;
    progress: number;
    worker: string | null;
  };
const isDone = (id: string, kind?: string) => jobOf(id, kind).state === "done";
const jobsDone = (name: string) =>
  site
    .database()
    .prepare("SELECT jobs_done FROM workers WHERE name = ?")
    .pluck()
    .get(name) as number;
/** As after two minutes without a word. */
const endLeases = () =>
  site
    .database()
    .exec("UPDATE jobs SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'running'");

async function playsWhole(id: string): Promise<void> {
  const url = site.database().prepare("SELECT hls_url FROM videos WHERE id = ?").pluck().get(id);
  const master = await fetch(`${site.url}${url}`);
  expect(master.status).toBe(200);
  const playlists = (await master.text()).match(/^[\w-]+\.m3u8$/gm) ?? [];
  expect(playlists.length).toBeGreaterThan(0);
  for (const name of playlists) {
    const address = new URL(name, master.url);
    const text = await (await fetch(address)).text();
    expect(text).toContain("#EXT-X-ENDLIST");
    const segments = [...text.matchAll(/^#EXT-X-BYTERANGE:(\d+)@(\d+)\n(.+)$/gm)];
    expect(segments.length).toBeGreaterThan(0);
    for (const [, bytes, offset, file] of segments) {
      const Range = `bytes=${offset}-${Number(offset) + Number(bytes) - 1}`;
      const answer = await fetch(new URL(file!, address), { headers: { Range } });
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([
        206,
        Number(bytes),
      ]);
    }
  }
}

describe.runIf(ffmpegAvailable())("a site that leaves its streams to workers", () => {
  it("has a queue of films made by two, makes the rest itself, and the films play", async () => {
    // The long one keeps who is ready first until the other has come.
    const films = [addFilm(30), addFilm(4), addFilm(4), addFilm(4, ["ladder", "storyboard"])];
    const [attic, cellar] = [addWorker("attic"), addWorker("cellar")];
    const environment = slow(6);
    attic.start(environment);
    cellar.start(environment);
    await until(() => films.every((id) => isDone(id)));
    await until(() => isDone(films[3]!, "storyboard"));
    for (const id of films) await playsWhole(id);
    await until(() => jobsDone("attic") + jobsDone("cellar") === films.length);
    expect([jobsDone("attic"), jobsDone("cellar")].every((count) => count > 0)).toBe(true);
    expect(films.map((id) => jobOf(id).attempts)).toEqual([1, 1, 1, 1]);
    expect([await attic.stop(), await cellar.stop()]).toEqual([0, 0]);
    expect(attic.log).toContain("Leaving.");
    expect([...filesBelow(attic.folder), ...filesBelow(cellar.folder)]).toEqual([]);
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("has a job made by another when its worker is killed, and when one is asked to leave", async () => {
    const id = addFilm(30);
    const [attic, barn, cellar] = ["attic", "barn", "cellar"].map(addWorker) as [
      ...[WorkerProcess, WorkerProcess, WorkerProcess],
    ];
    const environment = slow();
    attic.start(environment);
    await until(() => encodersIn(attic.folder).length > 0);
    await attic.stop("SIGKILL");
    await until(() => encodersIn(attic.folder).length === 0);
    expect(jobOf(id)).toMatchObject({ state: "running", attempts: 1 });
    endLeases();

    barn.start(environment);
    await until(() => encodersIn(barn.folder).length > 0);
    expect(jobOf(id)).toMatchObject({ state: "running", attempts: 1 });
    expect(await barn.stop("SIGTERM")).toBe(0);
    expect(barn.log).toContain("given back.");
    expect(encodersIn(barn.folder)).toEqual([]);
    expect(filesBelow(barn.folder)).toEqual([]);
    expect(jobOf(id)).toMatchObject({ state: "waiting", attempts: 0, worker: null });

    cellar.start();
    await until(() => isDone(id));
    expect(jobOf(id).attempts).toBe(1);
    await playsWhole(id);
  });

  it("is waited for while it is away, and the job goes on", async () => {
    const id = addFilm(30);
    const attic = addWorker("attic");
    attic.start(slow(3));
    await until(() => encodersIn(attic.folder).length > 0);
    await site.stop();
    await attic.says("can't be reached");
    await site.start();
    await until(() => isDone(id));
    expect(jobOf(id).attempts).toBe(1);
    await playsWhole(id);
  });

  it("takes no result of a worker whose token was revoked, which ends with a sentence", async () => {
    const id = addFilm(30);
    const attic = addWorker("attic");
    attic.start(slow());
    await until(() => encodersIn(attic.folder).length > 0);
    site.database().exec("DELETE FROM workers");
    await until(() => attic.child?.exitCode !== null);
    expect(attic.child?.exitCode).toBe(1);
    expect(attic.log).toContain("This token is unknown or was revoked.");
    expect(encodersIn(attic.folder)).toEqual([]);
    expect(isDone(id)).toBe(false);
  });

  it("gives up a film that is deleted while it is made", async () => {
    const id = addFilm(30);
    const attic = addWorker("attic");
    attic.start(slow(5));
    await until(() => encodersIn(attic.folder).length > 0);
    site.database().prepare("DELETE FROM videos WHERE id = ?").run(id);
    await attic.says(/no longer y?ours/);
    await until(() => encodersIn(attic.folder).length === 0);
    const next = addFilm(4);
    await until(() => isDone(next));
    expect(fs.readdirSync(path.join(site.uploads, "videos", "u"))).not.toContain(`${number - 2}`);
  });
});

describe("npm run worker", () => {
  it.each([
    [["--site", "ftp://videos.example"], "npm run worker --"],
    [["--site", "https://videos.example"], "The token of this worker is missing."],
  ])("says how it is called: %j", (args, sentence) => {
    const script = command("worker", ...args);
    const env = { NODE_ENV: "production", PATH: process.env.PATH } as const;
    expect(() => execFileSync(process.execPath, script, { env, stdio: "pipe" })).toThrow(sentence);
  });
});
