import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, signIn, test } from "../site";

/** Returns a clip padded with a `free` box of the given size in bytes, which players skip (ISO 14496-12 §8.1.2). */
function paddedClip(name: string, padding: number): string {
  const box = Buffer.alloc(padding, name);
  box.writeUInt32BE(padding, 0);
  box.write("free", 4, "latin1");
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "padded-")), name);
  fs.writeFileSync(file, Buffer.concat([fs.readFileSync(mp4Clip(5)), box]));
  return file;
}

/** Returns the first 60% of a clip whose index is at the beginning. */
function truncatedClip(name: string): string {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "cut-")), name);
  const bytes = fs.readFileSync(mp4Clip(5));
  fs.writeFileSync(file, bytes.subarray(0, bytes.length * 0.6));
  return file;
}

const rows = (site: SiteProcess) =>
  site.database().prepare("SELECT * FROM videos ORDER BY created_at").all() as Record<
    string,
    string
  >[];

async function fillTexts(page: Page, title?: string): Promise<void> {
  if (title) await page.getByLabel("Title").fill(title);
  await page.getByLabel("Description").fill("Along the river.");
  await page.getByLabel("Category").selectOption("desi");
  await page.getByLabel("Tags").fill("night, river");
}

const chooseVideos = (page: Page, ...files: string[]) =>
  page.locator("input[name=video]").setInputFiles(files);
const sendButton = (page: Page) => page.getByRole("button", { name: /^Upload/ });
const item = (page: Page, name: string) =>
  page.getByRole("list", { name: "Queue" }).getByRole("listitem").filter({ hasText: name });

test("fills in the duration, title and frames from the video, and resets the form after the upload", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await expect(page.getByText("MP4, MOV, AVI up to 2GB")).toBeVisible();
  await expect(page.getByText("PNG, JPG, GIF up to 10MB")).toBeVisible();
  await chooseVideos(page, paddedClip("a_walk-at night.mp4", 5_000));
  await expect(page.getByText("Duration Detected")).toBeVisible();
  await expect(page.getByText("Video duration: 0:05")).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("A walk at night");
  await expect(page.getByLabel("Duration")).toHaveValue("0:05");
  await page.getByAltText("Frame 3").click();
  await fillTexts(page);
  await sendButton(page).click();
  await expect(page.getByText("Video uploaded and published successfully.")).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("");
  expect(rows(site)).toMatchObject([
    { title: "A walk at night", thumbnail_url: expect.stringMatching(/\.webp$/) },
  ]);
  expect(fs.readdirSync(path.join(site.uploads, "tmp", "tus"))).toEqual([]);
});

test("shows an error about a rejected file once, in a toast, and keeps the text that was entered", async ({
  page,
}) => {
  await signIn(page);
  await page.goto("/admin");
  const broken = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "broken-")), "broken.mp4");
  fs.writeFileSync(broken, Buffer.alloc(50_000, 3));
  await chooseVideos(page, broken);
  await fillTexts(page, "Broken");
  await sendButton(page).click();
  const reason = page.getByText("supported video").filter({ visible: true });
  await expect(page.getByRole("alert")).toContainText("Error");
  await expect(page.getByRole("alert")).toContainText("supported video");
  await expect(reason).toHaveCount(1);
  // After the toast is dismissed, the reason is still shown in the queue.
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(reason).toHaveCount(0);
  await item(page, "Broken").getByText("Why?").click();
  await expect(reason).toHaveCount(1);
  await expect(page.getByLabel("Title")).toHaveValue("Broken");
  await item(page, "Broken").getByRole("button", { name: "Cancel" }).click();
  await expect(item(page, "Broken")).toHaveCount(0);
});

test("uploads several dropped files, each with its own text fields", async ({ page, site }) => {
  await signIn(page);
  await page.goto("/admin");
  await expect(page.getByText("Or drop files anywhere")).toBeVisible();
  const files = [paddedClip("one.mp4", 3_000), paddedClip("two.mp4", 4_000)];
  const contents = files.map((file) => fs.readFileSync(file).toString("base64"));
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const [index, text] of list.entries()) {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const name = ["one.mp4", "two.mp4"][index] ?? "";
      transfer.items.add(new File([bytes], name, { type: "video/mp4" }));
    }
    return transfer;
  }, contents);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: data });
  await expect(page.getByText("Drop videos to add them to the queue")).toBeVisible();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });

  await expect(item(page, "one.mp4").getByAltText("Frame 1")).toBeVisible();
  // Only the first file's frames are shown automatically.
  await expect(item(page, "two.mp4").getByAltText("Frame 1")).toHaveCount(0);
  await item(page, "two.mp4").getByText("Thumbnail and frames").click();
  await expect(item(page, "two.mp4").getByAltText("Frame 1")).toBeVisible();
  await expectNoViolations(page);
  const overflows = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(overflows).toBe(false);
  await item(page, "one.mp4").getByLabel("Title").fill("Number one");
  await item(page, "two.mp4").getByLabel("Category").selectOption("english");
  await item(page, "two.mp4").getByLabel("Tags").fill("second");
  await page.locator("textarea[name=description]").fill("Both of them.");
  await page.locator("select[name=category]").selectOption("desi");
  await page.locator("input[name=tags]").fill("shared");
  await page.getByRole("button", { name: "Upload 2 Videos" }).click();
  await expect.poll(() => rows(site).length, { timeout: 30_000 }).toBe(2);
  expect(rows(site)).toMatchObject([
    { title: "Number one", category: "desi", tags: '["shared"]', description: "Both of them." },
    { title: "Two", category: "english", tags: '["second"]', description: "Both of them." },
  ]);
  await expect(page.getByRole("link", { name: "Watch video" })).toHaveCount(2);
});

test("warns about an exact duplicate and a truncated file, and uploads them after confirmation", async ({
  page,
  site,
}) => {
  await signIn(page);
  const file = paddedClip("same.mp4", 7_000);
  await page.goto("/admin");
  for (const title of ["Original", "Copy"]) {
    await chooseVideos(page, file);
    await fillTexts(page, title);
    await sendButton(page).click();
    if (title === "Original") await expect(page.getByText("Success!")).toBeVisible();
  }
  await expect(item(page, "Copy").getByRole("link", { name: "Original" })).toBeVisible();
  await item(page, "Copy").getByRole("button", { name: "Upload anyway" }).click();
  await expect.poll(() => rows(site).map(({ title }) => title)).toEqual(["Original", "Copy"]);

  await page.goto("/admin");
  await chooseVideos(page, truncatedClip("cut.mp4"));
  await fillTexts(page, "Half a walk");
  await sendButton(page).click();
  await expect(item(page, "Half a walk").getByText(/only 0:0. of 0:05/)).toBeVisible();
  expect(rows(site)).toHaveLength(2);
  await item(page, "Half a walk")
    .getByRole("button", { name: "Publish the incomplete video" })
    .click();
  await expect.poll(() => rows(site).length).toBe(3);
});

/** Throttles uploads so that they can be interrupted. Each of the files below takes about 20 s. */
async function throttleUploads(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const set = (bytesPerSecond: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    });
  await set(400_000);
  return { removeThrottle: () => set(-1) };
}

const BIG_FILE_BYTES = 8_000_000;
const receivedBytes = (site: SiteProcess) => {
  const folder = path.join(site.uploads, "tmp", "tus");
  const sizes = fs.existsSync(folder)
    ? fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).size)
    : [];
  return Math.max(0, ...sizes);
};

/** A proxy between the browser and the site that can cut its connections. */
class CuttableProxy {
  private server: net.Server | undefined;
  private sockets = new Set<net.Socket>();
  private port = 0;
  constructor(private target: number) {}

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async restore(): Promise<void> {
    this.server = net.createServer((client) => {
      const upstream = net.connect(this.target, "127.0.0.1");
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(from);
        from.pipe(to);
        from.on("error", () => to.destroy());
        from.on("close", () => this.sockets.delete(from));
      }
    });
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
    this.port = (this.server.address() as net.AddressInfo).port;
  }

  async cut(): Promise<void> {
    const closed = once(this.server as net.Server, "close");
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

async function sendBigFile(
  page: Page,
  site: SiteProcess,
  title: string,
  file: string,
  origin = "",
) {
  await page.goto(`${origin}/admin`);
  const network = await throttleUploads(page);
  await chooseVideos(page, file);
  await fillTexts(page, title);
  await sendButton(page).click();
  await expect.poll(() => receivedBytes(site), { timeout: 30_000 }).toBeGreaterThan(500_000);
  return network;
}

test("pauses, resumes and cancels an upload, and asks for confirmation before the user leaves the page during an upload", async ({
  page,
  site,
}) => {
  await signIn(page);
  await sendBigFile(page, site, "Paused", paddedClip("paused.mp4", BIG_FILE_BYTES));
  const entry = item(page, "Paused");
  await expect(page.getByRole("button", { name: "Uploading..." })).toBeDisabled();
  await expect(entry).toContainText(/\d+% · .+\/s · .+ left/);
  await entry.getByRole("button", { name: "Pause" }).click();
  await expect(entry).toContainText("Paused");
  await entry.getByRole("button", { name: "Resume" }).click();
  await expect(entry).toContainText("Uploading...");
  const dialogs: string[] = [];
  page.on("dialog", async (dialog) => {
    dialogs.push(dialog.type());
    await dialog.dismiss();
  });
  await page.getByRole("link", { name: "Manage Videos" }).click();
  await expect.poll(() => dialogs).toEqual(["confirm"]);
  await expect(entry).toBeVisible();
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => dialogs).toEqual(["confirm", "beforeunload"]);
  await entry.getByRole("button", { name: "Cancel" }).click();
  await expect(entry).toHaveCount(0);
  await expect.poll(() => receivedBytes(site)).toBe(0);
  expect(rows(site)).toEqual([]);
});

test("completes an upload even if the connection is lost and the site is killed and restarted", async ({
  page,
  site,
}) => {
  await signIn(page);
  const proxy = new CuttableProxy(Number(new URL(site.url).port));
  await proxy.restore();
  const network = await sendBigFile(
    page,
    site,
    "Cut",
    paddedClip("cut.mp4", BIG_FILE_BYTES),
    proxy.url,
  );
  await proxy.cut();
  await expect(item(page, "Cut")).toContainText("Connection lost. Retrying…");
  await site.stop("SIGKILL");
  const before = receivedBytes(site);
  await site.start();
  const offsets: number[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
  });
  await network.removeThrottle();
  await proxy.restore();
  await expect.poll(() => rows(site).length, { timeout: 60_000 }).toBe(1);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(BIG_FILE_BYTES);
  for (const offset of offsets) expect(offset).toBeGreaterThan(0);
  await page.goto("/");
  await proxy.cut();
});

test("resumes the upload of the same file after a reload", async ({ page, site }) => {
  await signIn(page);
  const file = paddedClip("again.mp4", BIG_FILE_BYTES);
  const network = await sendBigFile(page, site, "Again", file);
  page.on("dialog", (dialog) => dialog.accept());
  await page.reload();
  await network.removeThrottle();
  await expect(page.getByText("Interrupted uploads:")).toContainText("again.mp4");
  const patched = page.waitForRequest((request) => request.method() === "PATCH");
  await chooseVideos(page, file);
  await fillTexts(page, "Again");
  await sendButton(page).click();
  expect(Number((await patched).headers()["upload-offset"])).toBeGreaterThan(400_000);
  await expect.poll(() => rows(site).length, { timeout: 30_000 }).toBe(1);
});
