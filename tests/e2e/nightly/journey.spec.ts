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
import { addressesOf, journey, ladderOf, type Place, uploads, visiting, watches } from "./journey";
import { type Parts, startParts } from "./parts";

const VIDEO = () => mp4Clip(20, "640x360");
const LONG_VIDEO = () => mp4Clip(30, "640x360");

test("with the default settings, videos are uploaded, watched, sought in and hidden", async ({
  browser,
}) => {
  test.setTimeout(240_000);
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "" });
  try {
    await site.start();
    await journey({ browser, url: site.url, site }, "Lighthouse", VIDEO());
  } finally {
    await site.remove();
  }
});

test.describe("with files in a store, two workers and a reader behind nginx", () => {
  // `npm test` installs both, and tells what was not tested where it cannot.
  test.skip(!hasS3Server, "python3-swift is not installed");
  test.skip(!isNginxInstalled, "nginx is not installed");
  let parts: Parts;
  test.beforeAll(async () => {
    // Seven processes, one after the other.
    test.setTimeout(240_000);
    parts = await startParts();
  });
  test.afterAll(() => parts?.stop());

  test("the same goes on while one after the other is killed", async ({ browser }) => {
    test.setTimeout(1_200_000);
    const { writer, reader, workers, store } = parts;
    const place: Place = { browser, url: parts.url, site: writer };
    const watched = (title: string) => visiting(place, (page) => watches(page, title));

    await test.step("all are there", async () => {
      const id = await journey(place, "Lighthouse", VIDEO());
      await isStored(place, id);
      await isReadable(parts, id);
      await visiting(place, async (page) => expect(await answeredByReader(page)).toBe(true));
      await watched("Lighthouse");
    });

    await test.step("a worker in the middle of a video: the other makes it", async () => {
      const id = await visiting(place, async (page) => {
        await signIn(page);
        return uploads(place, page, "Harbour", LONG_VIDEO());
      });
      const atWork = () => workers.find(({ folder }) => encodersIn(folder).length > 0);
      // Between two programs there is none.
      let killed = atWork();
      for (; !killed; killed = atWork()) await pause(20);
      await killed.stop("SIGKILL");
      expect(ladderOf(place, id)).toBe("running");
      await watched("Harbour");
      // As after two minutes without a word.
      writer
        .database()
        .exec("UPDATE jobs SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'running'");
      await until(() => ladderOf(place, id) === "done");
      await isStored(place, id);
      await isReadable(parts, id);
      await watched("Harbour");
      killed.start({ ENCODER_THREADS: "1" });
    });

    await test.step("the reader: the site that writes answers", async () => {
      await reader.stop("SIGKILL");
      await visiting(place, async (page) => expect(await answeredByReader(page)).toBe(false));
      await watched("Harbour");
      await reader.start();
      const isBack = () => visiting(place, answeredByReader);
      await expect.poll(isBack, { timeout: 30_000 }).toBe(true);
    });

    await test.step("the site that writes: visitors go on watching what is in the store", async () => {
      await writer.stop("SIGKILL");
      await watched("Lighthouse");
      await watched("Harbour");
      const picture = await fetch(place.url + thumbnailOf(place, idOf(place, "Lighthouse")));
      expect(picture.status).toBe(200);
      expect(Number(picture.headers.get("X-Data-Age"))).toBeLessThan(3600);
      await picture.arrayBuffer();
      await visiting(place, async (page) => {
        const refused = await page.goto("/admin");
        expect(refused?.status()).toBe(503);
        await expect(page.getByText("Watching goes on")).toBeVisible();
      });
      await writer.start();
      const studio = () => fetch(`${place.url}/auth`).then(({ status }) => status);
      await expect.poll(studio, { timeout: 30_000 }).toBe(200);
    });

    await test.step("the store: what is on the disk is watched, and moves when it is back", async () => {
      await store.kill?.();
      const [, file] = addressesOf(place, idOf(place, "Lighthouse"));
      const answer = await fetch(place.url + file, { headers: { Range: "bytes=0-9" } });
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "5"]);
      const island = await journey(place, "Island", mp4Clip(21, "640x360"));
      await store.start?.();
      await watched("Lighthouse");
      // All are there again; the site asks the store within a minute.
      const headland = await journey(place, "Headland", mp4Clip(22, "640x360"));
      for (const id of [island, headland]) await isStored(place, id);
      await watched("Island");
      await watched("Headland");
    });
  });
});

function idOf({ site }: Place, title: string): string {
  const byTitle = site.database().prepare("SELECT id FROM videos WHERE title = ?");
  return byTitle.pluck().get(title) as string;
}

/** Whether a page comes from the reader, which says how old it is. */
async function answeredByReader(page: Page): Promise<boolean> {
  const answer = await page.request.get("/");
  expect(answer.status()).toBe(200);
  return answer.headers()["x-data-age"] !== undefined;
}

function thumbnailOf({ site }: Pick<Place, "site">, id: string): string {
  const thumbnail = site.database().prepare("SELECT thumbnail_url FROM videos WHERE id = ?");
  return thumbnail.pluck().get(id) as string;
}

/** Waits until the reader's copy of the database says where the files of a video are. */
async function isReadable({ writer, reader }: Parts, id: string): Promise<void> {
  const place = { site: writer };
  const [, file, playlist] = addressesOf(place, id) as [string, string, string];
  for (const address of [file, playlist, thumbnailOf(place, id)]) {
    const status = () =>
      fetch(reader.url + address, { method: "HEAD" }).then((found) => found.status);
    await expect.poll(status, { timeout: 60_000 }).toBe(200);
  }
}

/** Waits until all files of a video are in the store, and removes their copies on the disk. */
async function isStored(place: Place, id: string): Promise<void> {
  const [, file, playlist] = addressesOf(place, id) as [string, string, string];
  const inUploads = (address: string) => address.replace("/media/", "");
  const folder = path.dirname(inUploads(playlist));
  const files = [
    ...[file, thumbnailOf(place, id)].map(inUploads),
    ...filesBelow(path.join(place.site.uploads, folder)).map((name) => `${folder}/${name}`),
  ];
  const row = place.site
    .database()
    .prepare("SELECT 1 FROM stored_files WHERE bucket || '/' || path = ?");
  await until(() => files.every((name) => row.get(name) !== undefined));
  for (const name of files) fs.rmSync(path.join(place.site.uploads, name), { force: true });
}
