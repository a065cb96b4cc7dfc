import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { action as usersAction, loader as usersLoader } from "~/features/accounts/routes/users";
import { changeRole, setLimits } from "~/features/accounts/user-list.server";
import { transferVideos } from "~/features/accounts/users/delete-account.server";
import { action as api } from "~/features/api/routes/api";
import { replaceFile } from "~/features/library/files/replace.server";
import { loader as adminLoader } from "~/features/library/routes/admin";
import { openSession } from "~/features/permissions/session.server";
import { deleteVideo } from "~/features/trash/remove.server";
import { quotaLine, quotaOf, requireQuota } from "~/features/upload/quota.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { action as publish } from "~/features/upload/routes/publish";
import { action as uploads } from "~/features/upload/routes/uploads";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip } from "../../clips";
import { formRequest, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, filesIn, uploadRequest } from "../../upload-requests";

const GIGABYTE = 1024 ** 3;
const DAY_MS = 24 * 3_600_000;
const NO_LIMITS = { maxBytes: null, maxVideosPerDay: null, maxQueuedJobs: null };

let site: ReturnType<typeof useTemporarySite>;
let owner: string;
let uploader: string;
let cookie: string;
beforeEach(async () => {
  site = useTemporarySite();
  owner = insertUser("owner@example.com").id;
  uploader = insertUser("uploader@example.com").id;
  await changeRole(uploader, "publisher", owner);
  cookie = (await openSession(uploader)).split(";")[0]!;
});
afterEach(() => site.remove());

const set = (settings: Record<string, string>) => {
  Object.assign(process.env, settings);
  forgetSettings();
};
const sql = (statement: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(statement)
    .run(...values);
const videoCount = () => sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get();
const addVideo = (id: string, bytes: number, by = uploader) =>
  sql(
    "INSERT INTO videos (id, title, category, uploaded_by, bytes) VALUES (?, 'A', 'desi', ?, ?)",
    ...[id, by, bytes],
  );
/** Records an upload that happened earlier. */
const addUpload = (hoursAgo: number, action = "publish") =>
  sql(
    "INSERT INTO activities (user_id, action, created_at) VALUES (?, ?, ?)",
    ...[uploader, action, new Date(Date.now() - hoursAgo * 3_600_000).toISOString()],
  );
const send = (by = uploader) => receiveUpload(uploadRequest(fileBlob(mp4Clip(2))), by);
const clipBytes = () => fs.statSync(mp4Clip(2)).size;

/** Uploads a file over tus. */
function arrived(): Promise<string> {
  const file = path.join(site.uploads, "tmp", "arrived");
  fs.copyFileSync(mp4Clip(2), file);
  const sent = { path: file, name: "a.mp4", bytes: clipBytes(), sha256: "a".repeat(64) };
  return storeFinishedUpload(uploader, sent);
}

function begin(bytes: number, as = cookie): Promise<Response> {
  const request = new Request(`${ORIGIN}/admin/uploads`, {
    method: "POST",
    headers: {
      "Tus-Resumable": "1.0.0",
      "Upload-Length": String(bytes),
      Origin: ORIGIN,
      Cookie: as,
    },
  });
  return uploads({ request, params: {}, context: {} });
}

describe("a quota", () => {
  it("comes from the settings and applies only to uploaders", () => {
    expect([quotaOf(uploader), quotaLine(uploader)]).toEqual([undefined, undefined]);
    set({ UPLOADER_MAX_VIDEOS_PER_DAY: "10", UPLOADER_MAX_QUEUED_JOBS: "50" });
    expect(quotaOf(uploader)).toEqual({
      maxBytes: undefined,
      maxVideosPerDay: 10,
      maxQueuedJobs: 50,
    });
    expect(quotaOf(owner)).toBeUndefined();
    expect(quotaOf("nobody")).toBeUndefined();
  });

  it("can be changed or removed for a single account", async () => {
    set({ UPLOADER_MAX_VIDEOS_PER_DAY: "10", UPLOADER_MAX_BYTES: String(5 * GIGABYTE) });
    await setLimits(uploader, { ...NO_LIMITS, maxVideosPerDay: 3 }, owner);
    expect(quotaOf(uploader)).toMatchObject({ maxVideosPerDay: 3, maxBytes: 5 * GIGABYTE });
    await setLimits(uploader, { maxBytes: 0, maxVideosPerDay: 0, maxQueuedJobs: 0 }, owner);
    expect(quotaOf(uploader)).toBeUndefined();
    await expect(setLimits(owner, NO_LIMITS, owner)).rejects.toThrow("Only uploaders");
  });

  it("is shown on the upload page with the current usage", async () => {
    const shown = async (as: string) => {
      const request = new Request(`${ORIGIN}/admin`, { headers: { Cookie: as } });
      const response = (await adminLoader({ request, params: {}, context: {} })) as {
        quota?: string;
      };
      return response.quota;
    };
    expect(await shown(cookie)).toBeUndefined();
    await setLimits(
      uploader,
      { maxBytes: 5 * GIGABYTE, maxVideosPerDay: 10, maxQueuedJobs: 40 },
      owner,
    );
    addVideo("v", 1.2 * GIGABYTE);
    for (const hours of [1, 2, 23, 25]) addUpload(hours);
    sql(
      "INSERT INTO jobs (video_id, kind, priority) VALUES ('v', 'ladder', 1), ('v', 'cleanup', 1)",
    );
    sql("INSERT INTO jobs (video_id, kind, priority, state) VALUES ('v', 'preview', 1, 'done')");
    expect(await shown(cookie)).toBe(
      "1.2GB of 5GB used · 3 of 10 videos in the last 24 hours · 1 of 40 jobs queued",
    );
    expect(await shown((await openSession(owner)).split(";")[0]!)).toBeUndefined();
  });

  it("is calculated using indexes, regardless of the number of videos", () => {
    const plan = (query: string) =>
      (sqliteHandle().prepare(`EXPLAIN QUERY PLAN ${query}`).all(uploader) as { detail: string }[])
        .map(({ detail }) => detail)
        .join();
    const covering = "USING COVERING INDEX";
    expect(plan("SELECT sum(bytes) FROM videos WHERE uploaded_by = ?")).toContain(covering);
    expect(plan("SELECT sum(bytes) FROM video_files WHERE user_id = ?")).toContain(covering);
    const inTrash = "SELECT sum(bytes) FROM deleted_videos WHERE uploaded_by = ?";
    expect(plan(inTrash)).toContain("deleted_videos_by_uploader");
    const uploadsOf = `SELECT count(*) FROM activities WHERE user_id = ? AND created_at > ''
      AND action IN ('publish', 'draft', 'file-send')`;
    expect(plan(uploadsOf)).toContain("activities_of_uploads");
  });
});

describe("the storage limit", () => {
  it("includes the trash and replaced files, and counts transferred videos for their new uploader", async () => {
    set({ UPLOADER_MAX_BYTES: String(5 * GIGABYTE) });
    addVideo("v", GIGABYTE);
    addVideo("other", GIGABYTE, owner);
    sql(
      `INSERT INTO deleted_videos (id, title, row, deleted_at, bytes) VALUES ('d', 'A', ?, '', ?)`,
      ...[JSON.stringify({ uploaded_by: uploader }), GIGABYTE],
    );
    sql(
      "INSERT INTO video_files (id, video_id, state, user_id, bytes) VALUES ('f', 'v', 'earlier', ?, ?)",
      ...[uploader, GIGABYTE],
    );
    expect(quotaLine(uploader)).toBe("3GB of 5GB used");
    const receiver = insertUser("receiver@example.com").id;
    await changeRole(receiver, "uploader", owner);
    await transferVideos(uploader, receiver, owner);
    expect([quotaLine(uploader), quotaLine(receiver)]).toEqual([
      "0 bytes of 5GB used",
      "3GB of 5GB used",
    ]);
  });

  it("rejects an upload before its first byte, and reports the current usage", async () => {
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: GIGABYTE }, owner);
    addVideo("v", 0.9 * GIGABYTE);
    const rejected = await begin(0.5 * GIGABYTE);
    expect(rejected.status).toBe(403);
    expect(await rejected.text()).toBe(
      "Your storage is limited to 1GB. You use 921.6MB, and this file is 512MB. Delete videos, including those in the trash, or ask an owner of the site for more storage.\n",
    );
    expect((await begin(1_000_000)).status).toBe(201);
    expect((await begin(GIGABYTE, (await openSession(owner)).split(";")[0]!)).status).toBe(201);
  });

  it("rejects a form whose declared length is too large, without keeping any bytes", async () => {
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: GIGABYTE }, owner);
    const form = uploadRequest(fileBlob(mp4Clip(2)));
    const body = Buffer.from(await form.arrayBuffer());
    const headers = {
      "Content-Type": form.headers.get("Content-Type")!,
      "Content-Length": String(1.5 * GIGABYTE),
    };
    const request = new Request(`${ORIGIN}/admin`, { method: "POST", headers, body });
    expect(await receiveUpload(request, uploader)).toMatchObject({
      ok: false,
      status: 403,
      failure: { texts: { title: "A walk at night" } },
    });
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("rejects a form if its actual size is too large, and keeps the entered values", async () => {
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: clipBytes() - 1 }, owner);
    expect(await send()).toMatchObject({
      ok: false,
      status: 403,
      failure: { texts: { title: "A walk at night" } },
    });
    expect([videoCount(), filesIn(site.uploads)]).toEqual([0, []]);
    expect(await send(owner)).toMatchObject({ ok: true });
  });

  it("keeps a resumable upload until there is space", async () => {
    const upload = await arrived();
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: 1 }, owner);
    const publishIt = () => receiveUpload(uploadRequest(undefined, { upload }), uploader);
    expect(await publishIt()).toMatchObject({ ok: false, status: 403 });
    await setLimits(uploader, NO_LIMITS, owner);
    expect(await publishIt()).toMatchObject({ ok: true });
  });

  it("applies to replacement files", async () => {
    expect(await send()).toMatchObject({ ok: true });
    const id = sqliteHandle().prepare("SELECT id FROM videos").pluck().get() as string;
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: clipBytes() }, owner);
    const replaced = await replaceFile({ id, upload: await arrived() }, uploader);
    expect(replaced).toMatchObject({ status: 403 });
    expect((replaced as { detail: string }).detail).toContain("Your storage is limited to");
    const files = sqliteHandle().prepare("SELECT count(*) FROM video_files").pluck();
    expect(files.get()).toBe(0);
  });

  it("applies to the API, whose response explains the rejection", async () => {
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: 1 }, owner);
    const { createToken } = await import("~/features/accounts/tokens/tokens.server");
    const form = new FormData();
    for (const [name, value] of [
      ["name", "a script"],
      ["scope", "upload"],
      ["scope", "publish"],
      ["days", "7"],
    ]) {
      form.append(name!, value!);
    }
    const as = { id: uploader, email: "uploader@example.com", role: "uploader", mayPublish: true };
    const token = await createToken(as as Parameters<typeof createToken>[0], form);
    const upload = await arrived();
    const texts = { title: "A", description: "B", category: "desi", tags: [] };
    const request = new Request(`${ORIGIN}/api/v1/videos`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ upload, ...texts }),
    });
    const response = await api({ request, params: { "*": "videos" }, context: {} } as never);
    const problem = (await (response as Response).json()) as { status: number; detail: string };
    expect(problem.status).toBe(403);
    expect(problem.detail).toContain("Your storage is limited to 1 bytes");
  });
});

describe("the limit on videos per 24 hours", () => {
  beforeEach(() => setLimits(uploader, { ...NO_LIMITS, maxVideosPerDay: 2 }, owner));

  it("reports when the next upload will be possible", async () => {
    addUpload(30);
    addUpload(20, "draft");
    addUpload(3, "file-send");
    const rejected = await begin(1000);
    expect([rejected.status, Number(rejected.headers.get("Retry-After")) > 0]).toEqual([429, true]);
    const request = uploadRequest(fileBlob(mp4Clip(2)));
    request.headers.set("Cookie", cookie);
    request.headers.set("Origin", ORIGIN);
    const response = await publish({ request, params: {}, context: {} });
    expect(response.status).toBe(429);
    const seconds = Number(response.headers.get("Retry-After"));
    expect(Math.abs(seconds - 4 * 3600)).toBeLessThan(60);
    const { failure } = (await response.json()) as { failure: { message: string } };
    expect(failure.message).toBe(
      "You can upload up to 2 videos in 24 hours and have already uploaded 2. Try again in 4 hours, or ask an owner of the site for a higher limit.",
    );
  });

  it("is checked again in the transaction that inserts an upload's row", async () => {
    await setLimits(uploader, { ...NO_LIMITS, maxBytes: Math.round(1.5 * clipBytes()) }, owner);
    const outcomes = await Promise.all([send(), send()]);
    expect(outcomes.map((outcome) => (outcome.ok ? 201 : outcome.status)).sort()).toEqual([
      201, 403,
    ]);
  });

  it("allows only one of two tabs to upload the last allowed video", async () => {
    addUpload(1);
    const outcomes = await Promise.all([send(), send()]);
    expect(outcomes.map((outcome) => (outcome.ok ? 201 : outcome.status)).sort()).toEqual([
      201, 429,
    ]);
    expect(videoCount()).toBe(1);
  });

  it("counts permanently deleted videos", async () => {
    addUpload(1);
    expect(await send()).toMatchObject({ ok: true });
    const id = sqliteHandle().prepare("SELECT id FROM videos").pluck().get() as string;
    await deleteVideo(id, uploader);
    sql("DELETE FROM deleted_videos");
    const rejected = await send();
    expect(rejected).toMatchObject({ ok: false, status: 429 });
  });

  it("stops counting a video after 24 hours", () => {
    addUpload(1);
    addUpload(2);
    expect(() => requireQuota(uploader, 0)).toThrow("You can upload 2 videos");
    expect(() => requireQuota(uploader, 0, Date.now() + DAY_MS - 1.5 * 3_600_000)).not.toThrow();
  });
});

describe("the limit on queued jobs", () => {
  it("rejects uploads until jobs have finished", async () => {
    await setLimits(uploader, { ...NO_LIMITS, maxQueuedJobs: 2 }, owner);
    addVideo("v", 1);
    addVideo("other", 1, owner);
    sql(`INSERT INTO jobs (video_id, kind, priority, state) VALUES ('v', 'ladder', 1, 'running'),
      ('v', 'cleanup', 1, 'waiting'), ('other', 'ladder', 1, 'waiting')`);
    expect(() => requireQuota(uploader, 0)).not.toThrow();
    sql(
      "INSERT INTO video_files (id, video_id, state, user_id) VALUES ('f', 'v', 'pending', ?)",
      uploader,
    );
    sql("INSERT INTO jobs (video_id, kind, priority) VALUES ('f', 'ladder', 1)");
    expect(await send()).toMatchObject({ ok: false, status: 429, retryAfterSeconds: 300 });
    sql("UPDATE jobs SET state = 'done'");
    expect(await send()).toMatchObject({ ok: true });
  });
});

describe("the form for an account's limits", () => {
  const save = async (fields: Record<string, string>) => {
    const as = (await openSession(owner)).split(";")[0]!;
    const request = formRequest(
      "/admin/users",
      { intent: "limits", id: uploader, ...fields },
      { Cookie: as },
    );
    return usersAction({ request, params: {}, context: {} }).catch((thrown: unknown) => thrown);
  };
  const limits = async () => {
    const as = (await openSession(owner)).split(";")[0]!;
    const request = new Request(`${ORIGIN}/admin/users`, { headers: { Cookie: as } });
    const { users } = await usersLoader({ request, params: {}, context: {} });
    return users.find(({ id }) => id === uploader)?.limits;
  };

  it("can set each limit to a number, to no limit or to the site's limit", async () => {
    const saved = await save({ gigabytes: "1,5", videosPerDay: "", queuedJobs: " 0 " });
    expect(saved).toMatchObject({ status: 302 });
    expect(await limits()).toEqual({
      maxBytes: 1.5 * GIGABYTE,
      maxVideosPerDay: null,
      maxQueuedJobs: 0,
    });
  });

  it.each([
    ["gigabytes", "-1"],
    ["gigabytes", "1e9"],
    ["videosPerDay", "1.5"],
    ["queuedJobs", "many"],
  ])("rejects %s=%s and keeps the entered values", async (name, value) => {
    const typed = { gigabytes: "2", videosPerDay: "3", queuedJobs: "4", [name]: value };
    expect(await save(typed)).toMatchObject({
      init: { status: 422 },
      data: { error: { limits: { id: uploader, ...typed } } },
    });
    expect(await limits()).toEqual(NO_LIMITS);
  });
});
