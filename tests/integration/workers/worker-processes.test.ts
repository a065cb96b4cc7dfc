import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { command } from "../../command";
import { filesBelow } from "../../encode-library";
import { until } from "../../process-figures";
import { useSiteForWorkers } from "../../workers/site-for-workers";
import { encodersIn } from "../../workers/worker-process";

/** The tests with killed workers and unavailable sites are in tests/encoding. */
describe.runIf(ffmpegAvailable())("a site that leaves encoding to workers", () => {
  const workers = useSiteForWorkers();
  const { addVideoWithFile, addWorker, isDone, jobOf, expectPlayable: playsWhole, slow } = workers;
  const jobsDone = (name: string) =>
    workers.site
      .database()
      .prepare("SELECT jobs_done FROM workers WHERE name = ?")
      .pluck()
      .get(name) as number;

  it("has its streams encoded by two workers and runs all other jobs itself, and the videos play", async () => {
    // The long video keeps the first worker busy until the other one has started.
    const videos = [
      addVideoWithFile(15),
      addVideoWithFile(4),
      addVideoWithFile(4),
      addVideoWithFile(4, ["ladder", "storyboard"]),
    ];
    const [attic, cellar] = [addWorker("attic"), addWorker("cellar")];
    const environment = slow(3);
    attic.start(environment);
    cellar.start(environment);
    await until(() => videos.every((id) => isDone(id)));
    await until(() => isDone(videos[3]!, "storyboard"));
    for (const id of videos) await playsWhole(id);
    await until(() => jobsDone("attic") + jobsDone("cellar") === videos.length);
    expect([jobsDone("attic"), jobsDone("cellar")].every((count) => count > 0)).toBe(true);
    expect(videos.map((id) => jobOf(id).attempts)).toEqual([1, 1, 1, 1]);
    expect([await attic.stop(), await cellar.stop()]).toEqual([0, 0]);
    expect(attic.log).toContain("Stopped.");
    expect([...filesBelow(attic.folder), ...filesBelow(cellar.folder)]).toEqual([]);
    expect(filesBelow(path.join(workers.site.uploads, "tmp"))).toEqual([]);
  });

  it("fails the job of a video whose file is missing, and finishes the others", async () => {
    const missing = addVideoWithFile(5);
    const video = addVideoWithFile(4);
    const url = workers.site
      .database()
      .prepare("SELECT video_url FROM videos WHERE id = ?")
      .pluck();
    fs.rmSync(path.join(workers.site.uploads, String(url.get(missing)).replace("/media/", "")));
    const attic = addWorker("attic");
    attic.start();
    await until(() => isDone(video));
    await until(() => jobOf(missing).attempts > 0 && jobOf(missing).state !== "running");
    expect(jobOf(missing)).toMatchObject({
      worker: null,
      reason: "The site doesn't have this video's file.",
    });
    await playsWhole(video);
    expect(await attic.stop()).toBe(0);
  });

  it("doesn't accept results from a revoked worker, which exits with a message", async () => {
    const id = addVideoWithFile(30);
    const attic = addWorker("attic");
    attic.start(slow());
    await until(() => encodersIn(attic.folder).length > 0);
    workers.site.database().exec("DELETE FROM workers");
    await until(() => attic.child?.exitCode !== null);
    expect(attic.child?.exitCode).toBe(1);
    expect(attic.log).toContain("This token is invalid or was revoked.");
    expect(encodersIn(attic.folder)).toEqual([]);
    expect(isDone(id)).toBe(false);
  });
});

describe("npm run worker", () => {
  it.each([
    [["--site", "ftp://videos.example"], "npm run worker --"],
    [["--site", "https://videos.example"], "Specify this worker's token."],
  ])("reports errors in its arguments: %j", (args, message) => {
    const script = command("worker", ...args);
    const env = { NODE_ENV: "production", PATH: process.env.PATH } as const;
    expect(() => execFileSync(process.execPath, script, { env, stdio: "pipe" })).toThrow(message);
  });
});
