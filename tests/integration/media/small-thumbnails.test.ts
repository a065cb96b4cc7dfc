import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { purge } from "~/features/trash/trash.server";
import { loader } from "~/features/watch/routes/media";
import { removeFiles } from "~/media/files/removals.server";
import { smallThumbnailsCreated } from "~/media/serve/small-thumbnail.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, catchResponse, sendMultipart, signInAdmin } from "../../admin-requests";
import { useTemporarySite } from "../../temporary-site";

const THUMBNAIL = "/media/thumbnails/u/1700000000000.webp";
const SMALL = "thumbnails/u/1700000000000/480.webp.webp";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(async () => {
  site = useTemporarySite();
  await signInAdmin();
});
afterEach(() => site.remove());

const onDisk = (name: string) => path.join(site.uploads, name);

async function addThumbnail(color = "#345"): Promise<void> {
  const file = onDisk(THUMBNAIL.replace("/media/", ""));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const image = sharp({ create: { width: 1280, height: 720, channels: 3, background: color } });
  await image.webp().toFile(file);
}

/** Returns the status and the width of the image that a visitor gets. */
async function visit(url: string) {
  const request = new Request(`http://localhost${url}`);
  const response = await loader({ request, params: {}, context: {} });
  if (response.status !== 200) return { status: response.status };
  const { width } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  return { status: 200, width };
}

/** Requests the smaller version, and requests it again after it was created. */
async function visitTwice() {
  const first = await visit(`${THUMBNAIL}?w=480`);
  await smallThumbnailsCreated();
  return [first, await visit(`${THUMBNAIL}?w=480`)];
}

describe("a thumbnail's smaller version", () => {
  it("is created on request, and the thumbnail is returned until then", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL });
    expect(await visitTwice()).toEqual([
      { status: 200, width: 1280 },
      { status: 200, width: 480 },
    ]);
    expect(await visit(THUMBNAIL)).toEqual({ status: 200, width: 1280 });
    expect(await visit(`${THUMBNAIL}?w=481`)).toEqual({ status: 200, width: 1280 });
  });

  it("has one of two widths, each of which is created on request", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL });
    // Request both widths at the same time. They must not be mixed up.
    const both = [`${THUMBNAIL}?w=720`, `${THUMBNAIL}?w=480`];
    expect(await Promise.all(both.map(visit))).toEqual([
      { status: 200, width: 1280 },
      { status: 200, width: 1280 },
    ]);
    await smallThumbnailsCreated();
    expect(await Promise.all(both.map(visit))).toEqual([
      { status: 200, width: 720 },
      { status: 200, width: 480 },
    ]);
  });

  it("is created again if another tool has replaced the thumbnail", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL });
    await visitTwice();
    const past = new Date(Date.now() - 60_000);
    fs.utimesSync(onDisk(SMALL), past, past);
    await addThumbnail("#f00");
    expect(await visitTwice()).toEqual([
      { status: 200, width: 1280 },
      { status: 200, width: 480 },
    ]);
  });

  it("is never created by a read replica", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL });
    process.env.READ_ONLY_FROM = "https://writer.example";
    forgetSettings();
    onTestFinished(() => {
      delete process.env.READ_ONLY_FROM;
      forgetSettings();
    });
    expect(await visitTwice()).toEqual([
      { status: 200, width: 1280 },
      { status: 200, width: 1280 },
    ]);
    expect(fs.existsSync(onDisk(SMALL))).toBe(false);
  });

  it("is public only while its video is", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL });
    await visitTwice();
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(await visit(`${THUMBNAIL}?w=480`)).toEqual({ status: 404 });
    expect(await visit(`/media/${SMALL}`)).toEqual({ status: 404 });
  });

  it("isn't created if the thumbnail isn't an image", async () => {
    const file = onDisk(THUMBNAIL.replace("/media/", ""));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "not an image");
    addVideo({ id: "v", thumbnail_url: THUMBNAIL });
    const request = new Request(`http://localhost${THUMBNAIL}?w=480`);
    const response = await loader({ request, params: {}, context: {} });
    expect([response.status, await response.text()]).toEqual([200, "not an image"]);
    await smallThumbnailsCreated();
    expect(fs.existsSync(onDisk(SMALL))).toBe(false);
    expect(fs.readdirSync(onDisk("tmp"))).toEqual([]);
  });

  it("is retried after failures that weren't caused by the image", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL, uploaded_by: "u" });
    // The folder can't be created, because there is a broken link with the same name.
    const folder = path.dirname(onDisk(SMALL));
    fs.rmSync(folder, { recursive: true, force: true });
    fs.symlinkSync("/nonexistent/folder", folder);
    await visitTwice();
    expect(fs.existsSync(onDisk(SMALL))).toBe(false);
    fs.rmSync(folder);
    await visitTwice();
    expect(fs.existsSync(onDisk(SMALL))).toBe(true);
  });

  it("is counted, deleted and restored with the video's files", async () => {
    await addThumbnail();
    addVideo({ id: "v", thumbnail_url: THUMBNAIL, uploaded_by: "u" });
    await visitTwice();
    const bytes = () => sqliteHandle().prepare("SELECT bytes FROM videos").pluck().get();
    expect(bytes()).toBe(fs.statSync(onDisk(SMALL)).size);
    expect((await checkLibrary()).stray).toEqual([]);

    const all = bytes();
    const { batch } = await removeVideos(["v"], "u");
    await restoreDeletion(batch, "u");
    expect(bytes()).toBe(all);
    expect(await visit(`${THUMBNAIL}?w=480`)).toEqual({ status: 200, width: 480 });
    await removeVideos(["v"], "u");
    await purge(["v"]);
    await removeFiles();
    expect(fs.existsSync(onDisk(SMALL))).toBe(false);
  });

  it("is removed when the video gets another thumbnail", async () => {
    await addThumbnail();
    addVideo({ id: "v", title: "A", description: "B", thumbnail_url: THUMBNAIL });
    await visitTwice();
    await visit(`${THUMBNAIL}?w=720`);
    await smallThumbnailsCreated();
    expect(fs.readdirSync(path.dirname(onDisk(SMALL)))).toHaveLength(2);
    const form = new FormData();
    const fields = { intent: "update", id: "v", title: "A", description: "B", category: "desi" };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const image = sharp({ create: { width: 640, height: 360, channels: 3, background: "#0f0" } });
    form.set("thumbnail", new File([await image.png().toBuffer()], "new.png"));
    await catchResponse(() => sendMultipart(form, "/admin?tab=manage&edit=v"));
    expect(sqliteHandle().prepare("SELECT thumbnail_url FROM videos").pluck().get()).not.toBe(
      THUMBNAIL,
    );
    await removeFiles();
    expect(fs.existsSync(path.dirname(onDisk(SMALL)))).toBe(false);
    expect((await checkLibrary()).stray).toEqual([]);
  });
});
