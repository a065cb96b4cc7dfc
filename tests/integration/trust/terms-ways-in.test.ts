import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { action as api, loader as readApi } from "~/features/api/routes/api";
import { action as admin } from "~/features/library/routes/admin";
import {
  findAcceptances,
  requireTerms,
  saveTerms,
} from "~/features/moderation/uploaders/terms.server";
import {
  addDownloads,
  listDownloads,
  runDownloads,
} from "~/features/upload/import/downloads.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { folderImportEnds } from "~/features/upload/import/server-folder.server";
import { action as importAction } from "~/features/upload/routes/import";
import { action as publish } from "~/features/upload/routes/publish";
import { action as uploads } from "~/features/upload/routes/uploads";
import { readFinishedUpload, storeFinishedUpload } from "~/media/intake/tus.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, sendMultipart, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { fileBlob, filesIn, GOOD_TEXTS, multipart, uploadRequest } from "../../upload-requests";
import { videoServer } from "../studio/video-server";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const clip = mp4Clip(2);
const MISSING = "Read and accept the uploaders’ terms. The current version is 2.";
const OUTDATED = expect.stringContaining("from version 1, which you accepted, to version 2");

/** Version 2 is the latest one, and its acceptance is required. */
beforeEach(async () => {
  await saveTerms("Be good.", 0, "u");
  await saveTerms("Be very good.", 1, "u");
  await requireTerms(true, "u");
});

const videos = () => sqliteHandle().prepare("SELECT id FROM videos").pluck().all() as string[];
/** Returns the accepted terms for the only video. */
const accepted = () => findAcceptances(videos())?.[videos()[0] ?? ""];
const ACCEPTED = [{ version: 2, subject: "video", by: "a@b.c", at: expect.stringMatching(/Z$/) }];

/** Returns a form submission's status, and the failure if there is one. Works with and without JavaScript. */
async function outcome(work: Promise<unknown>) {
  const given = (await work.catch((thrown) => thrown)) as
    | Response
    | { data: { upload: Record<string, unknown> }; init: { status: number } };
  if (!(given instanceof Response)) return { status: given.init.status, ...given.data.upload };
  if (given.status === 302) return { status: 302 };
  const json = (await given.json()) as { failure?: Record<string, unknown> };
  return { status: given.status, ...json.failure };
}

function withCookie(request: Request): Request {
  request.headers.set("Cookie", adminCookie());
  request.headers.set("Origin", ORIGIN);
  return request;
}

const upload = (texts: Record<string, string>, file = clip) =>
  outcome(
    admin({
      request: withCookie(uploadRequest(fileBlob(file), texts)),
      params: {},
      context: {},
    }) as Promise<unknown>,
  );

/** Publishes a received file the way the upload queue does. */
function publishSent(texts: Record<string, string>) {
  const parts = Object.entries({ ...GOOD_TEXTS, ...texts });
  const sent = multipart(parts);
  const request = new Request(`${ORIGIN}/admin/publish`, sent);
  return outcome(publish({ request: withCookie(request), params: {}, context: {} }));
}

/** Uploads a complete file. */
async function stored(): Promise<string> {
  const arrived = path.join(site.uploads, "tmp", "arrived");
  fs.mkdirSync(path.join(site.uploads, "tmp", "tus"), { recursive: true });
  fs.copyFileSync(clip, arrived);
  const sha256 = createHash("sha256").update(fs.readFileSync(clip)).digest("hex");
  const bytes = fs.statSync(clip).size;
  return storeFinishedUpload("u", { path: arrived, name: "a.mp4", bytes, sha256 });
}

describe("the upload form", () => {
  it("accepts the current version of the terms, and stores who accepted it", async () => {
    expect(await upload({ terms: "2" })).toEqual({ status: 302 });
    expect(accepted()).toEqual(ACCEPTED);
  });

  it("is rejected and shows the terms if they weren't accepted, while its file is kept on the server", async () => {
    const rejected = await upload({});
    expect(rejected).toMatchObject({
      status: 422,
      message: MISSING,
      fields: { terms: MISSING },
      terms: { version: 2, text: "Be very good." },
      texts: { title: GOOD_TEXTS.title },
      waiting: { fileName: "clip.mp4" },
    });
    expect(videos()).toEqual([]);
    const { upload: id } = (rejected as unknown as { waiting: { upload: string } }).waiting;
    expect(await publishSent({ upload: id, terms: "2" })).toEqual({ status: 201 });
    expect(accepted()).toEqual(ACCEPTED);
    expect(filesIn(site.uploads).filter((name) => name.startsWith("tmp/"))).toEqual([]);
  });

  it("reports missing terms together with other errors, and doesn't keep the file", async () => {
    expect(await upload({ title: "" })).toMatchObject({
      status: 422,
      fields: { title: expect.any(String), terms: MISSING },
    });
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("rejects an outdated version from another tab", async () => {
    expect(await upload({ terms: "1" })).toMatchObject({ status: 422, message: OUTDATED });
    expect(await upload({ terms: "3" })).toMatchObject({
      status: 422,
      message: expect.stringContaining("There is no version 3"),
    });
    expect(videos()).toEqual([]);
  });

  it("doesn't require the terms while the requirement is off, regardless of what an open form sends", async () => {
    await requireTerms(false, "u");
    expect(await upload({})).toEqual({ status: 302 });
    expect(await upload({ terms: "1" })).toEqual({ status: 302 });
    expect(sqliteHandle().prepare("SELECT count(*) FROM accepted_terms").pluck().get()).toBe(0);
  });
});

describe("the upload queue, with files that were already uploaded", () => {
  it("publishes each video with the version in its form", async () => {
    for (const each of [1, 2]) {
      expect(await publishSent({ upload: await stored(), title: `${each}`, terms: "2" })).toEqual({
        status: 201,
      });
    }
    const all = findAcceptances(videos()) ?? {};
    expect(Object.values(all)).toEqual([ACCEPTED, ACCEPTED]);
  });

  it("rejects a video if the version changed in the meantime, and accepts it with the new version", async () => {
    const id = await stored();
    expect(await publishSent({ upload: id, terms: "1" })).toMatchObject({
      status: 422,
      message: OUTDATED,
      terms: { version: 2 },
      waiting: { upload: id },
    });
    expect(await publishSent({ upload: id })).toMatchObject({ status: 422 });
    expect(await publishSent({ upload: id, terms: "2" })).toEqual({ status: 201 });
  });
});

describe("tus", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const begin = (terms?: string) =>
    uploads({
      request: withCookie(
        new Request(`${ORIGIN}/admin/uploads`, {
          method: "POST",
          headers: {
            "Tus-Resumable": "1.0.0",
            "Upload-Length": "1000",
            "Upload-Metadata": [
              `filename ${base64("a.mp4")}`,
              ...(terms === undefined ? [] : [`terms ${base64(terms)}`]),
            ].join(","),
          },
        }),
      ),
      params: {},
      context: {},
    });

  it("doesn't start an upload without the version in its metadata", async () => {
    for (const [terms, message] of [
      [undefined, MISSING],
      ["1", OUTDATED],
      ["on", expect.stringContaining("There is no version on")],
    ] as const) {
      const response = await begin(terms);
      expect([response.status, (await response.text()).trim()]).toEqual([422, message]);
    }
    expect(filesIn(site.uploads)).toEqual([]);
    expect((await begin("2")).status).toBe(201);
  });

  it("doesn't require the terms while the requirement is off", async () => {
    await requireTerms(false, "u");
    expect((await begin()).status).toBe(201);
  });

  it("passes the version on to a form that doesn't include one", async () => {
    const id = await stored();
    const record = path.join(site.uploads, "tmp", "tus", `${id}.json`);
    const upload = JSON.parse(fs.readFileSync(record, "utf8"));
    upload.metadata.terms = "2";
    fs.writeFileSync(record, JSON.stringify(upload));
    expect((await readFinishedUpload("u", id)).terms).toBe("2");
    // The version in the form takes precedence.
    expect(await publishSent({ upload: id, terms: "1" })).toMatchObject({ status: 422 });
    expect(await publishSent({ upload: id })).toEqual({ status: 201 });
    expect(accepted()).toEqual(ACCEPTED);
  });
});

describe("the API", () => {
  async function call(method: string, at: string, json?: unknown) {
    const form = new FormData();
    form.set("name", "a program");
    form.set("days", "7");
    for (const scope of ["read", "upload", "publish"]) form.append("scope", scope);
    const who = { id: "u", email: "a@b.c", role: "owner", mayPublish: true } as const;
    const request = new Request(`${ORIGIN}/api/v1/${at}`, {
      method,
      headers: {
        Authorization: `Bearer ${await createToken(who, form)}`,
        "Content-Type": "application/json",
      },
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    const handler = method === "GET" ? readApi : api;
    const response = (await handler({
      request,
      params: { "*": at },
      context: {},
    } as never)) as Response;
    return { status: response.status, body: await response.json() };
  }
  const { title, description, category } = GOOD_TEXTS;
  const create = (upload: string, more: Record<string, unknown> = {}) =>
    call("POST", "videos", { title, description, category, tags: [], upload, ...more });

  it("returns the terms that must be accepted", async () => {
    const { body } = await call("GET", "terms");
    expect(body).toMatchObject({ required: true, version: 2, text: "Be very good." });
    await requireTerms(false, "u");
    expect((await call("GET", "terms")).body).toEqual({
      ...{ required: false, version: null, text: null, createdAt: null },
    });
  });

  it("creates a video if the request has the version, and otherwise reports the missing field", async () => {
    const upload = await stored();
    expect(await create(upload)).toMatchObject({
      status: 422,
      body: { detail: MISSING, errors: [{ field: "terms", detail: MISSING }] },
    });
    expect(await create(upload, { terms: 1 })).toMatchObject({ body: { detail: OUTDATED } });
    expect((await create(upload, { terms: "2" })).status).toBe(422);
    expect((await create(upload, { terms: 2 })).status).toBe(201);
    expect(accepted()).toEqual(ACCEPTED);
  });

  it("doesn't start an upload without the version either", async () => {
    const form = new FormData();
    form.set("name", "a program");
    form.set("days", "7");
    form.append("scope", "upload");
    const who = { id: "u", email: "a@b.c", role: "owner", mayPublish: true } as const;
    const token = await createToken(who, form);
    const begin = async (metadata: Record<string, string>) => {
      const headers = { Authorization: `Bearer ${token}`, "Tus-Resumable": "1.0.0" };
      const request = new Request(`${ORIGIN}/api/v1/uploads`, {
        method: "POST",
        headers: { ...headers, "Upload-Length": "1000", ...metadata },
      });
      return (await api({ request, params: { "*": "uploads" }, context: {} } as never)) as Response;
    };
    const response = await begin({});
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining(MISSING),
    ]);
    expect((await begin({ "Upload-Metadata": "terms Mg==" })).status).toBe(201);
  });
});

describe("the import page", () => {
  async function send(fields: Record<string, string>) {
    const request = withCookie(
      new Request(`${ORIGIN}/admin/import`, { method: "POST", body: new URLSearchParams(fields) }),
    );
    const result = (await importAction({ request, params: {}, context: {} })) as
      | Response
      | { data: Record<string, unknown>; init: { status: number } };
    if (result instanceof Response) return { status: result.status };
    return { status: result.init.status, ...result.data };
  }
  const { title, description, category } = GOOD_TEXTS;

  it("imports a URL if its form accepted the terms, even if they change in the meantime", async () => {
    const bytes = fs.readFileSync(clip);
    let endFirst = () => {};
    const firstIsRequested = new Promise<void>((resolve) => {
      endFirst = () => resolve();
    });
    const server = await videoServer(site.folder, ({ url }, response) => {
      if (url !== "/first.mp4") {
        return void response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
      }
      endFirst();
      endFirst = () => response.destroy();
    });
    // While this import is running, all other requests also go to the test's network.
    const texts = { title, description, category: "desi", tags: [] } as const;
    const first = { userId: "u", address: server.address("first.mp4"), status: "review" } as const;
    await addDownloads([{ ...first, texts: { ...texts, tags: [] } }], server.network);
    await firstIsRequested;
    const form = {
      ...{ intent: "address-publish", address: server.address("video.mp4"), title, description },
      category,
    };
    expect(await send(form)).toMatchObject({
      status: 422,
      message: MISSING,
      address: { fields: { terms: MISSING }, texts: { title } },
    });
    expect(await send({ ...form, terms: "1", title: "" })).toMatchObject({
      address: { fields: { terms: OUTDATED, title: expect.any(String) } },
    });
    expect(await listDownloads()).toHaveLength(1);
    expect((await send({ ...form, terms: "2" })).status).toBe(302);
    await saveTerms("Be better.", 2, "u");
    endFirst();
    await runDownloads(server.network);
    expect(await listDownloads()).toMatchObject([{ state: "done" }, { state: "failed" }]);
    expect(accepted()).toEqual(ACCEPTED);
    await server.close();
  });

  it("accepts a table only if the terms are accepted", async () => {
    const table = `address,title,description,category\nhttps://videos.example/a.mp4,T,D,desi`;
    expect(await send({ intent: "table", table })).toMatchObject({
      ...{ status: 422, terms: MISSING, table },
    });
    expect(await listDownloads()).toEqual([]);
  });

  it("imports a server folder only if the terms are accepted", async () => {
    const folder = path.join(site.folder, "videos");
    fs.mkdirSync(folder);
    fs.copyFileSync(clip, path.join(folder, "video.mp4"));
    process.env.IMPORT_DIR = folder;
    forgetSettings();
    try {
      const form = { intent: "folder", category: "desi", status: "review", mode: "copy" };
      expect(await send(form)).toMatchObject({ status: 422, terms: MISSING });
      expect(await send({ ...form, terms: "1" })).toMatchObject({ status: 422, terms: OUTDATED });
      expect((await send({ ...form, terms: "2" })).status).toBe(302);
      await folderImportEnds();
      expect(accepted()).toEqual(ACCEPTED);
    } finally {
      delete process.env.IMPORT_DIR;
      forgetSettings();
    }
  });
});

describe("the import command", () => {
  it("doesn't import anything without the version", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(clip, path.join(folder, "video.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    await expect(importVideos(plan, { userId: "u", mode: "copy" })).rejects.toThrow(MISSING);
    expect(videos()).toEqual([]);
    await importVideos(plan, { userId: "u", mode: "copy", terms: "2" });
    expect(accepted()).toEqual(ACCEPTED);
  });
});

describe("replacing a file", () => {
  async function replace(fields: Record<string, string>, file?: string) {
    const form = new FormData();
    const texts = { intent: "replace", id: "v", duplicate: "ask", incomplete: "ask", ...fields };
    for (const [name, value] of Object.entries(texts)) form.set(name, value);
    if (file) form.set("video", fileBlob(file), "a.mp4");
    const result = await sendMultipart(form, "/admin?tab=manage&replace=v").catch(
      (thrown) => thrown,
    );
    if (result instanceof Response) return { status: result.status };
    return (result as { data: { studio: Record<string, unknown> } }).data.studio;
  }

  it("requires the current version, and keeps the file until that version is accepted", async () => {
    addVideo();
    expect(accepted()).toEqual([]);
    const rejected = await replace({}, clip);
    expect(rejected).toMatchObject({
      status: 422,
      detail: MISSING,
      replace: { question: { kind: "terms", fileName: "a.mp4" } },
    });
    const { upload: id } = (rejected as { replace: { question: { upload: string } } }).replace
      .question;
    expect(await replace({ upload: id, terms: "1" })).toMatchObject({
      status: 422,
      detail: OUTDATED,
    });
    expect((await replace({ upload: id, terms: "2" })).status).toBe(302);
    expect(accepted()).toEqual([{ ...ACCEPTED[0], subject: "file" }]);
  });
});
