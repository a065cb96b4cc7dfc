import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loader as feed } from "~/features/catalogue/routes/feed";
import { refusalsOf } from "~/features/consent/validity.server";
import { activateReady } from "~/features/library/files/activate-replacement.server";
import { action as review } from "~/features/library/routes/review";
import { scansOf, undecidedScans } from "~/features/moderation/scan/scans.server";
import { openAlerts } from "~/features/operations/alerts/alert-records.server";
import { checkScans } from "~/features/operations/alerts/check-alerts.server";
import { scanLibrary } from "~/features/processing/kinds/scan.server";
import { claim } from "~/features/processing/queue/queue.server";
import { startRunner } from "~/features/processing/queue/worker.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { addDownloads, runDownloads } from "~/features/upload/import/downloads.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { successMessage } from "~/features/upload/upload-fields";
import { isPublic } from "~/features/visibility/visibility.server";
import { loader as media } from "~/features/watch/routes/media";
import { loader as watch } from "~/features/watch/routes/video";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  expectSuccessOf,
  sendMultipart,
  useAdminSite,
} from "../../admin-requests";
import { videoRow } from "../../encode-library";
import { makeClip } from "../../media-clips";
import { fileBlob, uploadRequest } from "../../upload-requests";
import { videoServer } from "../studio/video-server";
import { scanWith, setCommand } from "./scan-scripts";

const site = useAdminSite();
let source: string;
beforeEach(() => {
  source = makeClip(site.folder, "video", { seconds: 1 });
});
afterEach(() => setCommand(undefined));

async function upload(): Promise<string> {
  const response = await receiveUpload(uploadRequest(fileBlob(source)), "u");
  if (!response.ok) throw new Error(response.failure.message);
  return response.video.id;
}

/** Runs only the scan jobs. */
async function scan(): Promise<void> {
  sqliteHandle().exec("UPDATE jobs SET run_after = '2020-01-01' WHERE kind = 'scan'");
  const runner = startRunner(1, ["scan"]);
  await runner.idle();
  await runner.stop();
}

const jobs = () =>
  sqliteHandle().prepare("SELECT video_id, state, reason FROM jobs WHERE kind = 'scan'").all();
const holds = () => sqliteHandle().prepare("SELECT video_id, reason FROM video_holds").all();
const actions = async () => (await listActivities()).map(({ action }) => action);

const decide = (id: string, fields: Record<string, string>) =>
  review({
    request: new Request(`http://localhost/admin/review/${id}`, {
      method: "POST",
      body: new URLSearchParams({ scan: id, ...fields }),
      headers: { Cookie: adminCookie(), Origin: "http://localhost", Host: "localhost" },
    }),
    params: { id },
    context: {},
  });

/**
 * Returns what a visitor can access: the statuses of the video's page and file, and whether the feed includes the
 * video.
 */
async function reach(id: string): Promise<[number, number, boolean]> {
  const get = (address: string) => new Request(`http://localhost${address}`);
  const status = async (response: Promise<unknown> | unknown) => {
    const found = await Promise.resolve(response).catch((thrown: unknown) => thrown);
    if (!(found instanceof Response)) return 200;
    await found.body?.cancel();
    return found.status;
  };
  const page = await status(watch({ request: get(`/video/${id}`), params: { id }, context: {} }));
  const request = get(videoRow(id).video_url);
  const file = await status(media({ request, params: {}, context: {} }));
  const list = (await feed({ request: get("/feed.xml"), params: {}, context: {} })) as Response;
  return [page, file, (await list.text()).includes(id)];
}

describe.runIf(ffmpegAvailable())("an upload with SCAN_COMMAND", () => {
  it("can't be accessed before it passes the scan", async () => {
    scanWith(site.folder, "exit 0");
    const response = await receiveUpload(uploadRequest(fileBlob(source)), "u");
    if (!response.ok) throw new Error(response.failure.message);
    const { id } = response.video;
    expect(successMessage(response.video)).toContain("is on hold until it has been scanned");
    expect(await reach(id)).toEqual([404, 404, false]);
    expect(refusalsOf([id]).get(id)).toContain("until it passes the scan");
    expect(scansOf(id)).toMatchObject([{ id, state: "waiting", isReplacement: false }]);
    // No other job runs before the scan.
    expect((await claim())?.kind).toBe("scan");
    expect(await claim()).toBeUndefined();
    sqliteHandle().exec("UPDATE jobs SET state = 'waiting', worker = NULL");
    await scan();
    expect(await reach(id)).toEqual([200, 200, true]);
    expect([scansOf(id), holds(), await actions()]).toEqual([[], [], ["publish"]]);
    expect((await claim())?.kind).toBe("transcode");
  });

  it("is on hold until an editor releases it, if the scan is unsure", async () => {
    scanWith(site.folder, "echo '<b>unsure</b>'; exit 1");
    const id = await upload();
    await scan();
    expect(await reach(id)).toEqual([404, 404, false]);
    expect(scansOf(id)).toMatchObject([{ state: "hold", reason: "<b>unsure</b>" }]);
    expect(undecidedScans(10)).toMatchObject([{ id, verdict: "hold", reason: "<b>unsure</b>" }]);
    expect(await actions()).toEqual(["scan-held", "publish"]);
    await checkScans(Date.now());
    expect(await openAlerts("scan-refused")).toEqual([]);
    const { toast } = await expectSuccessOf(() => decide(id, { intent: "release-scan" }));
    expect(toast.description).toBe("The video is published.");
    expect(await reach(id)).toEqual([200, 200, true]);
    expect((await actions())[0]).toBe("scan-release");
    expect(await decide(id, { intent: "release-scan" })).toMatchObject({ init: { status: 409 } });
    // The video isn't scanned again.
    await scan();
    expect(isPublic(id)).toBe(true);
  });

  it("is kept with its file until someone confirms a decision, if the scan refuses it", async () => {
    scanWith(site.folder, "echo known; exit 2");
    const id = await upload();
    await scan();
    expect(await reach(id)).toEqual([404, 404, false]);
    expect(
      fs.existsSync(path.join(site.uploads, videoRow(id).video_url.slice("/media/".length))),
    ).toBe(true);
    await checkScans(Date.now());
    await checkScans(Date.now());
    expect(await openAlerts("scan-refused")).toMatchObject([
      { message: expect.stringContaining("refused 1 file") },
    ]);
    expect(await decide(id, { intent: "release-scan" })).toMatchObject({ init: { status: 422 } });
    expect(isPublic(id)).toBe(false);
    await expectSuccessOf(() => decide(id, { intent: "release-scan", sure: "1" }));
    expect(isPublic(id)).toBe(true);
    await checkScans(Date.now());
    expect(await openAlerts("scan-refused")).toEqual([]);
  });

  it("stays on hold, raises an alert and is scanned again while the scan doesn't give a verdict", async () => {
    setCommand("/nowhere/scan");
    vi.spyOn(console, "error").mockImplementation(() => {});
    const id = await upload();
    for (let times = 0; times < 5; times += 1) await scan();
    expect(jobs()).toMatchObject([{ state: "waiting", reason: expect.stringContaining("scan") }]);
    expect(scansOf(id)).toMatchObject([{ state: "unchecked" }]);
    expect(isPublic(id)).toBe(false);
    await checkScans(Date.now());
    expect(await openAlerts("scan-unchecked")).toHaveLength(1);
    scanWith(site.folder, "exit 0");
    await expectSuccessOf(() => decide(id, { intent: "scan-again" }));
    await scan();
    expect(isPublic(id)).toBe(true);
    await checkScans(Date.now());
    expect(await openAlerts("scan-unchecked")).toEqual([]);
    vi.restoreAllMocks();
  });

  it("is scanned again if the site was stopped or killed during the scan", async () => {
    const started = path.join(site.folder, "started");
    scanWith(site.folder, `touch ${started}; sleep 60; echo late; exit 2`);
    const id = await upload();
    const runner = startRunner(1, ["scan"]);
    await vi.waitFor(() => expect(fs.existsSync(started)).toBe(true), { timeout: 20_000 });
    await runner.stop();
    expect(jobs()).toMatchObject([{ state: "waiting" }]);
    expect(isPublic(id)).toBe(false);
    sqliteHandle().exec(
      `UPDATE jobs SET state = 'running', worker = 'killed/1/1', lease_until = '2020-01-01', attempts = 1
       WHERE kind = 'scan'`,
    );
    scanWith(site.folder, "exit 0");
    await scan();
    expect(isPublic(id)).toBe(true);
  });

  it("is put on hold and scanned again after it is restored from the trash", async () => {
    scanWith(site.folder, "echo known; exit 2");
    const [waiting, refused] = [await upload(), await upload()];
    sqliteHandle().prepare("DELETE FROM jobs WHERE video_id = ?").run(waiting);
    await scan();
    await removeVideos([waiting, refused], "u");
    await restoreVideos([waiting, refused], "u");
    expect(jobs()).toMatchObject([{ video_id: waiting }]);
    expect([isPublic(waiting), isPublic(refused)]).toEqual([false, false]);
    expect(scansOf(refused)).toMatchObject([{ state: "refuse", reason: "known" }]);
    scanWith(site.folder, "exit 0");
    await scan();
    expect([isPublic(waiting), isPublic(refused)]).toEqual([true, false]);
  });

  it("is scanned when it is uploaded over tus, or imported from a folder or a URL", async () => {
    scanWith(site.folder, "exit 0");
    const bytes = fs.readFileSync(source);
    const arrived = path.join(site.uploads, "tmp", "arrived");
    fs.mkdirSync(path.join(site.uploads, "tmp", "tus"), { recursive: true });
    fs.copyFileSync(source, arrived);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const sent = { path: arrived, name: "a.mp4", bytes: bytes.length, sha256 };
    await receiveUpload(
      uploadRequest(undefined, { upload: await storeFinishedUpload("u", sent) }),
      "u",
    );

    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    const other = makeClip(site.folder, "other", { seconds: 2 });
    fs.copyFileSync(other, path.join(folder, "other.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    const summary = await importVideos(plan, { userId: "u", mode: "copy" });
    expect(summary.notPublic).toMatchObject([
      { reason: expect.stringContaining("passes the scan") },
    ]);

    const third = fs.readFileSync(makeClip(site.folder, "third", { seconds: 3 }));
    const server = await videoServer(site.folder, (_, response) => {
      response.writeHead(200, { "Content-Length": third.length }).end(third);
    });
    const texts = { title: "T", description: "D", category: "desi" as const, tags: [] };
    const address = server.address("video.mp4");
    await addDownloads([{ userId: "u", address, texts, status: "published" }], server.network);
    await runDownloads(server.network);
    await server.close();

    const count = sqliteHandle().prepare("SELECT count(*) FROM videos WHERE public = ?").pluck();
    expect([count.get(0), count.get(1), jobs().length]).toEqual([3, 0, 3]);
    await scan();
    expect([count.get(0), count.get(1)]).toEqual([0, 3]);
  });

  it("replaces a video's file only once it passes the scan or an editor releases it", async () => {
    addVideo({ id: "v", title: "V", status: "published", video_url: "/media/videos/u/1.mp4" });
    scanWith(site.folder, "echo known; exit 2");
    const replace = async () => {
      const form = new FormData();
      form.set("intent", "replace");
      form.set("id", "v");
      form.set("video", new Blob([new Uint8Array(fs.readFileSync(source))]), "a.mp4");
      await expectSuccessOf(() => sendMultipart(form, "/admin?tab=manage&replace=v"));
      sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'scan'");
    };
    await replace();
    await activateReady();
    expect(videoRow("v").video_url).toBe("/media/videos/u/1.mp4");
    await scan();
    await activateReady();
    expect(videoRow("v")).toMatchObject({ video_url: "/media/videos/u/1.mp4", public: 1 });
    const [found] = scansOf("v");
    expect(found).toMatchObject({ isReplacement: true, state: "refuse", reason: "known" });
    expect((await actions())[0]).toBe("scan-refused");
    const fields = { intent: "release-scan", scan: found!.id, sure: "1" };
    await expectSuccessOf(() => decide("v", fields));
    await activateReady();
    expect(videoRow("v").video_url).not.toBe("/media/videos/u/1.mp4");
    expect([isPublic("v"), scansOf("v")]).toEqual([true, []]);
  });
});

describe.runIf(ffmpegAvailable())("a site without SCAN_COMMAND", () => {
  it("publishes an upload immediately, without a scan", async () => {
    const id = await upload();
    expect([isPublic(id), jobs(), holds(), scansOf(id)]).toEqual([true, [], [], []]);
  });

  it("keeps earlier uploads public when they are scanned later, unless the scan finds something", async () => {
    const id = await upload();
    sqliteHandle().exec("UPDATE jobs SET state = 'done'");
    scanWith(site.folder, "exit 0");
    expect(await scanLibrary()).toBe(1);
    expect(isPublic(id)).toBe(true);
    await scan();
    expect(isPublic(id)).toBe(true);
    expect(await scanLibrary()).toBe(0);
    sqliteHandle().exec("DELETE FROM jobs WHERE kind = 'scan'");
    scanWith(site.folder, "echo known; exit 2");
    await scanLibrary();
    await scan();
    expect(isPublic(id)).toBe(false);
  });
});
