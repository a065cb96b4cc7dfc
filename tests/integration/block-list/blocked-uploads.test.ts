import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { action as api } from "~/features/api/routes/api";
import { refusalsOf } from "~/features/consent/validity.server";
import { action as review, loader as reviewPage } from "~/features/library/routes/review";
import { openSession } from "~/features/permissions/session.server";
import { matchesOf } from "~/features/processing/comparison/block-list-matches.server";
import { BLOCKED_FILE, blockVideo } from "~/features/processing/comparison/blocked-videos.server";
import { importDigestList } from "~/features/processing/comparison/digest-list.server";
import { hashBlockedVideos } from "~/features/processing/comparison/hash-videos.server";
import {
  addDownloads,
  listDownloads,
  runDownloads,
} from "~/features/upload/import/downloads.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { successMessage } from "~/features/upload/upload-fields";
import { isPublic } from "~/features/visibility/visibility.server";
import { removeFiles } from "~/media/files/removals.server";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import {
  adminCookie,
  expectSuccess,
  page,
  sendMultipart,
  useAdminSite,
} from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { addToLibrary, videoRow, workUntilIdle } from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import { fileBlob, filesIn, GOOD_TEXTS, uploadRequest } from "../../upload-requests";
import { interruptOnce } from "../../wrapped-ffmpeg";
import { videoServer } from "../studio/video-server";

const site = useAdminSite();
const digestOf = (file: string, algorithm = "sha256") =>
  createHash(algorithm).update(fs.readFileSync(file)).digest("hex");
const source = (seed: number) =>
  makeClip(site.folder, `video-${seed}`, {
    videoSource: `color=gray:size=16x12:rate=1:duration=8,noise=alls=100:allf=t:all_seed=${seed},scale=160:120:flags=bicubic,fps=10`,
    audio: false,
  });
/** Creates a smaller, mirrored and cropped copy without the beginning of the video. */
function copyOf(file: string): string {
  const copy = path.join(site.folder, "copy.mp4");
  const filters = "crop=iw*0.95:ih*0.95,hflip,scale=128:96,pad=128:128:0:16";
  ffmpeg(["-ss", "0.7", "-i", file, "-an", "-vf", filters, "-c:v", "libx264", copy]);
  return copy;
}
const videos = () => sqliteHandle().prepare("SELECT id, title, status, public FROM videos").all();
const activities = async () => (await listActivities()).map(({ action }) => action);

/** Adds a video to the block list and deletes it. */
async function block(file: string): Promise<void> {
  const id = await addToLibrary(site.uploads, file, true);
  sqliteHandle().prepare("INSERT INTO video_digests VALUES (?, ?)").run(id, digestOf(file));
  await transaction(() => blockVideo(id, "consent"));
  await hashBlockedVideos();
  sqliteHandle().exec("DELETE FROM videos");
  fs.rmSync(path.join(site.uploads, "videos"), { recursive: true });
}

/** Makes the next run of ffprobe wait until a digest has been imported. */
async function importDuringProbe(digest: string): Promise<void> {
  const probed = path.join(site.folder, "probed");
  const imported = path.join(site.folder, "imported");
  interruptOnce(site.folder, "ffprobe", "*", [
    `: > "${probed}"`,
    `while [ ! -e "${imported}" ]; do sleep 0.02; done`,
  ]);
  const isProbed = () => expect(fs.existsSync(probed)).toBe(true);
  importing = vi.waitFor(isProbed, { timeout: 20_000 }).then(async () => {
    await importDigest(digest);
    fs.writeFileSync(imported, "");
  });
}

async function importDigest(digest: string): Promise<void> {
  const list = path.join(site.folder, "list.txt");
  fs.writeFileSync(list, `${digest}\n`);
  await importDigestList(list, { name: "list.txt", reason: "under-age" });
}

/** Adds a digest to the list synchronously, as an import does. */
function putOnList(sha256: string): void {
  sqliteHandle().exec(
    `INSERT OR IGNORE INTO blocked_videos (id, reason, blocked_at, state, digests)
       VALUES (1, 'under-age', '2026-01-01', 'none', 1);
     INSERT OR IGNORE INTO blocked_files VALUES ('${sha256}', 1)`,
  );
}

/** Completes the pending removals. Returns the remaining files. */
const left = async () => {
  await removeFiles();
  return filesIn(site.uploads);
};
const stored = async (file: string) => {
  const arrived = path.join(site.uploads, "tmp", "arrived");
  fs.mkdirSync(path.join(site.uploads, "tmp", "tus"), { recursive: true });
  fs.copyFileSync(file, arrived);
  const bytes = fs.statSync(file).size;
  return storeFinishedUpload("u", { path: arrived, name: "a.mp4", bytes, sha256: digestOf(file) });
};

let importing = Promise.resolve();
let blocked: string;
let copy: string;
const WAYS_TO_BLOCK = [
  ["that was removed earlier", block],
  ["whose SHA-256 is on an imported list", (file: string) => importDigest(digestOf(file))],
  ["whose MD5 is on an imported list", (file: string) => importDigest(digestOf(file, "md5"))],
  [
    "whose SHA-256 is imported while it is being examined",
    (file: string) => importDuringProbe(digestOf(file)),
  ],
  [
    "whose MD5 is imported while it is being examined",
    (file: string) => importDuringProbe(digestOf(file, "md5")),
  ],
] as const;

describe.runIf(ffmpegAvailable()).each(WAYS_TO_BLOCK)("a file %s", (_, blockFile) => {
  beforeEach(async () => {
    blocked = source(1);
    await blockFile(blocked);
  });
  // Fails the test if ffprobe wasn't run.
  afterEach(() => importing);

  it("is rejected by the upload form and deleted", async () => {
    const response = await receiveUpload(
      uploadRequest(fileBlob(blocked), { duplicate: "ask" }),
      "u",
    );
    expect(response).toMatchObject({
      ok: false,
      status: 422,
      failure: { message: BLOCKED_FILE, fields: { video: BLOCKED_FILE } },
    });
    expect([videos(), await left(), await activities()]).toEqual([[], [], ["block-refused"]]);
  });

  it("is rejected after being uploaded over tus", async () => {
    const upload = await stored(blocked);
    const response = await receiveUpload(uploadRequest(undefined, { upload }), "u");
    expect(response).toMatchObject({ ok: false, status: 422 });
    expect([videos(), await left(), await activities()]).toEqual([[], [], ["block-refused"]]);
  });

  it("is rejected by the API", async () => {
    const form = new FormData();
    form.set("name", "a program");
    form.set("days", "7");
    for (const scope of ["upload", "publish"]) form.append("scope", scope);
    const token = await createToken(
      { id: "u", email: "a@b.c", role: "owner", mayPublish: true },
      form,
    );
    const { title, description, category } = GOOD_TEXTS;
    const texts = { title, description, category, tags: [], status: "published" };
    const request = new Request("http://localhost/api/v1/videos", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ ...texts, upload: await stored(blocked) }),
    });
    const response = (await api({
      request,
      params: { "*": "videos" },
      context: {},
    } as never)) as Response;
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("is on the block list");
    expect([videos(), await left()]).toEqual([[], []]);
  });

  it("is skipped by an import, and the other files are still imported", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(blocked, path.join(folder, "blocked.mp4"));
    fs.copyFileSync(source(2), path.join(folder, "other.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    const summary = await importVideos(plan, { userId: "u", mode: "copy" });
    expect(summary).toMatchObject({ imported: 1, failures: [{ reason: BLOCKED_FILE }] });
    expect(videos()).toMatchObject([{ title: "Other", status: "published" }]);
  });

  it("is rejected when it is imported from a URL", async () => {
    const bytes = fs.readFileSync(blocked);
    const server = await videoServer(site.folder, (_, response) => {
      response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
    });
    const texts = { title: "T", description: "D", category: "desi", tags: [] } as const;
    const address = server.address("video.mp4");
    await addDownloads(
      [{ userId: "u", address, texts: { ...texts, tags: [] }, status: "published" }],
      server.network,
    );
    await runDownloads(server.network);
    expect(await listDownloads()).toMatchObject([{ state: "failed", reason: BLOCKED_FILE }]);
    expect([videos(), await left()]).toEqual([[], []]);
    await server.close();
  });

  it("can't replace a video's file", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    const response = await replaced(blocked);
    expect(response).toMatchObject({ status: 422, detail: BLOCKED_FILE });
    expect([await left(), await activities()]).toEqual([[], ["block-refused"]]);
  });
});

it("skips an imported file if its digest is added to the block list after the file was copied", async () => {
  const folder = path.join(site.folder, "to-import");
  fs.mkdirSync(folder);
  for (const name of ["first.mp4", "second.mp4"])
    fs.writeFileSync(
      path.join(folder, name),
      Buffer.concat([fs.readFileSync(mp4Clip(2)), Buffer.from(name)]),
    );
  const plan = await planFolder(folder, { category: "desi", status: "published" });
  let copied = 0;
  const summary = await importVideos(plan, {
    userId: "u",
    mode: "move",
    onProgress(_, files) {
      copied += files;
      if (files > 0) putOnList(digestOf(path.join(folder, "first.mp4")));
    },
  });
  expect(copied).toBe(2);
  expect(summary).toMatchObject({ imported: 1, failures: [{ reason: BLOCKED_FILE }] });
  expect(videos()).toMatchObject([{ title: "Second" }]);
  expect(fs.readdirSync(folder)).toEqual(["first.mp4"]);
  expect(await left()).toHaveLength(1);
  expect(await listActivities()).toMatchObject([{ action: "import", detail: "1 video" }]);
});

async function replaced(file: string) {
  const form = new FormData();
  form.set("intent", "replace");
  form.set("id", "v");
  form.set("video", new Blob([new Uint8Array(fs.readFileSync(file))]), "a.mp4");
  const response = (await sendMultipart(form, "/admin?tab=manage&replace=v")) as unknown as {
    data: { studio: { status: number; detail: string } };
  };
  return response.data.studio;
}

const say = (id: string, cookie = adminCookie()) =>
  review({
    request: new Request(`http://localhost/admin/review/${id}`, {
      method: "POST",
      body: new URLSearchParams({ intent: "other-video", videos: matchesOf(id).join() }),
      headers: { Cookie: cookie, Origin: "http://localhost", Host: "localhost" },
    }),
    params: { id },
    context: {},
  });

describe.runIf(ffmpegAvailable())("a video that resembles a removed video", () => {
  beforeEach(async () => {
    blocked = source(1);
    copy = copyOf(blocked);
    await block(blocked);
  });

  it("is put on hold after the upload until someone dismisses the match", async () => {
    const response = await receiveUpload(uploadRequest(fileBlob(copy)), "u");
    if (!response.ok) throw new Error("The upload was rejected.");
    const { id } = response.video;
    expect(successMessage(response.video)).toContain("resembles a removed video");
    expect(isPublic(id)).toBe(false);
    expect(refusalsOf([id]).get(id)).toContain("resembles a removed video");
    const { manage } = (await page("/admin?tab=manage")) as never as {
      manage: { resemblingBlocked: string[] };
    };
    expect(manage.resemblingBlocked).toEqual([id]);
    const request = new Request(`http://localhost/admin/review/${id}`, {
      headers: { Cookie: adminCookie() },
    });
    expect(await reviewPage({ request, params: { id }, context: {} })).toMatchObject({
      blockedMatches: [expect.any(String)],
    });
    const thrown = await say(id).catch((response: Response) => response.status);
    expect(thrown).toBe(302);
    expect(isPublic(id)).toBe(true);
    // The video's jobs compare it with the block list again, but the dismissed match doesn't hide it.
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'storyboard'");
    await workUntilIdle();
    expect(isPublic(id)).toBe(true);
    const again = (await say(id)) as unknown as { init: { status: number } };
    expect(again.init.status).toBe(404);
    expect(await activities()).toEqual(["block-other", "block-held", "publish"]);
  }, 120_000);

  it("stays a draft if it was uploaded as a draft, and can't be published until the match is dismissed", async () => {
    const response = await receiveUpload(uploadRequest(fileBlob(copy), { intent: "draft" }), "u");
    if (!response.ok) throw new Error("The upload was rejected.");
    const { id } = response.video;
    await sendToggle(id);
    expect(videoRow(id).status).toBe("review");
    await say(id).catch(() => {});
    expect(videoRow(id).status).toBe("review");
    await expectSuccess({ intent: "toggle", id });
    expect(videoRow(id).status).toBe("published");
  }, 60_000);

  it("is on hold after an import", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(copy, path.join(folder, "copy.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    const summary = await importVideos(plan, { userId: "u", mode: "copy" });
    expect(summary.notPublic).toMatchObject([{ reason: expect.stringContaining("resembles") }]);
    expect(videos()).toMatchObject([{ public: 0 }]);
  }, 60_000);

  it("can't replace a video's file", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    expect(await replaced(copy)).toMatchObject({
      status: 422,
      detail: expect.stringContaining("Upload it as a new video"),
    });
    expect(await left()).toEqual([]);
  }, 60_000);

  it("is put on hold by its comparison job if it wasn't compared when it was added", async () => {
    const id = await addToLibrary(site.uploads, copy, true);
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'storyboard'");
    sqliteHandle().exec("UPDATE videos SET status = 'published'");
    await workUntilIdle();
    expect(isPublic(id)).toBe(false);
    expect(refusalsOf([id]).size).toBe(1);
  }, 60_000);

  it("is distinguished from an unrelated video, which is published", async () => {
    const response = await receiveUpload(uploadRequest(fileBlob(source(9))), "u");
    expect(response).toMatchObject({ ok: true, video: { status: "published" } });
  }, 60_000);
});

it("lets users dismiss a match only if they can publish other users' videos", async () => {
  sqliteHandle().exec(
    `INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'u@b.c', 'x', 'uploader');
     INSERT INTO videos (id, title, category, uploaded_by) VALUES ('v', 'V', 'desi', 'up')`,
  );
  const cookie = (await openSession("up")).split(";")[0]!;
  expect(await say("v", cookie).catch((response: Response) => response.status)).toBe(403);
});

const sendToggle = (id: string) => {
  const form = new FormData();
  form.set("intent", "toggle");
  form.set("id", id);
  return sendMultipart(form, "/admin?tab=manage").catch(() => undefined);
};
