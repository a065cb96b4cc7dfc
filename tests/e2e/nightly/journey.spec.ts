import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { filesBelow } from "../../encode-library";
import { until } from "../../process-figures";
import { hasS3Server } from "../../s3/object-stores";
import { isNginxInstalled } from "../../servers/nginx";
import { SiteProcess } from "../../site-process";
import { encodersIn } from "../../workers/worker-process";
import { expect, signIn, test } from "../site";
import { type Deployment, startDeployment } from "./deployment";
import {
  inNewContext,
  ladderState,
  runJourney,
  type Setup,
  uploadVideo,
  urlsOf,
  watchVideo,
} from "./journey";

const VIDEO = () => mp4Clip(20, "640x360");
const LONG_VIDEO = () => mp4Clip(30, "640x360");

test("with the default settings, an admin can upload and hide videos, and visitors can watch them and seek", async ({
  browser,
}) => {
  test.setTimeout(240_000);
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "" });
  try {
    await site.start();
    await runJourney({ browser, url: site.url, site }, "Lighthouse", VIDEO());
  } finally {
    await site.remove();
  }
});

test.describe("a site with an object store, two workers and a read replica behind nginx", () => {
  // `npm test` installs both packages, or reports the skipped tests if it can't install them.
  test.skip(!hasS3Server, "python3-swift is not installed");
  test.skip(!isNginxInstalled, "nginx is not installed");
  let deployment: Deployment;
  test.beforeAll(async () => {
    // This starts seven processes one after another.
    test.setTimeout(240_000);
    deployment = await startDeployment();
  });
  test.afterAll(() => deployment?.stop());

  test("keeps working when any one of its processes is killed", async ({ browser }) => {
    test.setTimeout(1_200_000);
    const { writer, reader, workers, store } = deployment;
    const setup: Setup = { browser, url: deployment.url, site: writer };
    const watch = (title: string) => inNewContext(setup, (page) => watchVideo(page, title));

    await test.step("all processes are running", async () => {
      const id = await runJourney(setup, "Lighthouse", VIDEO());
      await moveToStore(setup, id);
      await waitForReplica(deployment, id);
      await inNewContext(setup, async (page) => expect(await isFromReplica(page)).toBe(true));
      await watch("Lighthouse");
    });

    await test.step("when a worker is killed during a job, the other worker finishes the job", async () => {
      const id = await inNewContext(setup, async (page) => {
        await signIn(page);
        return uploadVideo(setup, page, "Harbour", LONG_VIDEO());
      });
      const findBusyWorker = () => workers.find(({ folder }) => encodersIn(folder).length > 0);
      // Even a busy worker has no encoder process between two ffmpeg commands.
      let killed = findBusyWorker();
      for (; !killed; killed = findBusyWorker()) await pause(20);
      await killed.stop("SIGKILL");
      expect(ladderState(setup, id)).toBe("running");
      await watch("Harbour");
      // Simulates two minutes without a heartbeat.
      writer
        .database()
        .exec("UPDATE jobs SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'running'");
      await until(() => ladderState(setup, id) === "done");
      await moveToStore(setup, id);
      await waitForReplica(deployment, id);
      await watch("Harbour");
      killed.start({ ENCODER_THREADS: "1" });
    });

    await test.step("when the replica is killed, the primary responds instead", async () => {
      await reader.stop("SIGKILL");
      await inNewContext(setup, async (page) => expect(await isFromReplica(page)).toBe(false));
      await watch("Harbour");
      await reader.start();
      const isBack = () => inNewContext(setup, isFromReplica);
      await expect.poll(isBack, { timeout: 30_000 }).toBe(true);
    });

    await test.step("when the primary is killed, visitors can still watch videos in the store", async () => {
      await writer.stop("SIGKILL");
      await watch("Lighthouse");
      await watch("Harbour");
      const thumbnail = await fetch(setup.url + thumbnailOf(setup, idOf(setup, "Lighthouse")));
      expect(thumbnail.status).toBe(200);
      expect(Number(thumbnail.headers.get("X-Data-Age"))).toBeLessThan(3600);
      await thumbnail.arrayBuffer();
      await inNewContext(setup, async (page) => {
        const response = await page.goto("/admin");
        expect(response?.status()).toBe(503);
        await expect(page.getByText("Watching goes on")).toBeVisible();
      });
      await writer.start();
      const signInStatus = () => fetch(`${setup.url}/auth`).then(({ status }) => status);
      await expect.poll(signInStatus, { timeout: 30_000 }).toBe(200);
    });

    await test.step("when the store is killed, new uploads still play, and they move to the store once it is back", async () => {
      await store.kill?.();
      const [, file] = urlsOf(setup, idOf(setup, "Lighthouse"));
      const response = await fetch(setup.url + file, { headers: { Range: "bytes=0-9" } });
      expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
      const island = await runJourney(setup, "Island", mp4Clip(21, "640x360"));
      await store.start?.();
      await watch("Lighthouse");
      // All processes are running again. The site tries the store again within a minute.
      const headland = await runJourney(setup, "Headland", mp4Clip(22, "640x360"));
      for (const id of [island, headland]) await moveToStore(setup, id);
      await watch("Island");
      await watch("Headland");
    });
  });
});

function idOf({ site }: Setup, title: string): string {
  const byTitle = site.database().prepare("SELECT id FROM videos WHERE title = ?");
  return byTitle.pluck().get(title) as string;
}

/** Returns whether the replica served a page. The replica sends the age of its data with each page. */
async function isFromReplica(page: Page): Promise<boolean> {
  const response = await page.request.get("/");
  expect(response.status()).toBe(200);
  return response.headers()["x-data-age"] !== undefined;
}

function thumbnailOf({ site }: Pick<Setup, "site">, id: string): string {
  const thumbnail = site.database().prepare("SELECT thumbnail_url FROM videos WHERE id = ?");
  return thumbnail.pluck().get(id) as string;
}

/** Waits until the replica serves a video's files. */
async function waitForReplica({ writer, reader }: Deployment, id: string): Promise<void> {
  const setup = { site: writer };
  const [, file, playlist] = urlsOf(setup, id) as [string, string, string];
  for (const url of [file, playlist, thumbnailOf(setup, id)]) {
    const status = () =>
      fetch(reader.url + url, { method: "HEAD" }).then((response) => response.status);
    await expect.poll(status, { timeout: 60_000 }).toBe(200);
  }
}

/** Waits until all of a video's files are in the store, and removes the local copies. */
async function moveToStore(setup: Setup, id: string): Promise<void> {
  const [, file, playlist] = urlsOf(setup, id) as [string, string, string];
  const pathOf = (url: string) => url.replace("/media/", "");
  const folder = path.dirname(pathOf(playlist));
  const files = [
    ...[file, thumbnailOf(setup, id)].map(pathOf),
    ...filesBelow(path.join(setup.site.uploads, folder)).map((name) => `${folder}/${name}`),
  ];
  const row = setup.site
    .database()
    .prepare("SELECT 1 FROM stored_files WHERE bucket || '/' || path = ?");
  await until(() => files.every((name) => row.get(name) !== undefined));
  for (const name of files) fs.rmSync(path.join(setup.site.uploads, name), { force: true });
}
