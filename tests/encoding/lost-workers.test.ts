import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { filesBelow } from "../encode-library";
import { until } from "../process-figures";
import { useSiteForWorkers } from "../workers/site-for-workers";
import { encodersIn, type WorkerProcess } from "../workers/worker-process";

const workers = useSiteForWorkers();
const { addVideoWithFile, addWorker, isDone, jobOf, expectPlayable: playsWhole, slow } = workers;
/** Simulates two minutes without a heartbeat from any worker. */
const endLeases = () =>
  workers.site
    .database()
    .exec("UPDATE jobs SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'running'");

describe.runIf(ffmpegAvailable())("a worker's job", () => {
  it("is completed by another worker if the first one is killed or shut down", async () => {
    const id = addVideoWithFile(30);
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
    expect(barn.log).toContain("returned to the queue.");
    expect(encodersIn(barn.folder)).toEqual([]);
    expect(filesBelow(barn.folder)).toEqual([]);
    expect(jobOf(id)).toMatchObject({ state: "waiting", attempts: 0, worker: null });

    cellar.start();
    await until(() => isDone(id));
    expect(jobOf(id).attempts).toBe(1);
    await playsWhole(id);
  });

  it("continues after the site has been unreachable", async () => {
    const id = addVideoWithFile(30);
    const attic = addWorker("attic");
    attic.start(slow(3));
    await until(() => encodersIn(attic.folder).length > 0);
    await workers.site.stop();
    await attic.waitForOutput("can't be reached");
    await workers.site.start();
    await until(() => isDone(id));
    expect(jobOf(id).attempts).toBe(1);
    await playsWhole(id);
  });

  it("is abandoned if its video is deleted in the meantime", async () => {
    const id = addVideoWithFile(30);
    const attic = addWorker("attic");
    attic.start(slow(5));
    await until(() => encodersIn(attic.folder).length > 0);
    const url = workers.site
      .database()
      .prepare("DELETE FROM videos WHERE id = ? RETURNING video_url")
      .pluck()
      .get(id) as string;
    await attic.waitForOutput(/no longer (?:assigned|belongs)/);
    await until(() => encodersIn(attic.folder).length === 0);
    const next = addVideoWithFile(4);
    await until(() => isDone(next));
    // If there were a folder for the stream, it would be named after the video's upload ID.
    const folders = fs.readdirSync(path.join(workers.site.uploads, "videos", "u"));
    expect(folders).not.toContain(path.parse(url).name);
  });
});
