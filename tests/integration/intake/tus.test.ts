import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { MULTIPART, multipartParts, openRequest, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { filesIn, GOOD_TEXTS } from "../../upload-requests";
import { withoutMetadata } from "../../without-metadata";

/** Tests the tus 1.0 protocol over plain HTTP: https://tus.io/protocols/resumable-upload */

const TUS = { "Tus-Resumable": "1.0.0" };
const PATCH = { ...TUS, "Content-Type": "application/offset+octet-stream" };
const clip = fs.readFileSync(mp4Clip(3));
const base64 = (text: string) => Buffer.from(text).toString("base64");

const site = new SiteProcess({ MAX_VIDEO_BYTES: "8000000" });
let cookie: string;
beforeAll(async () => {
  await site.start();
  cookie = await signInTo(site);
});
afterAll(() => site.remove());
afterEach(() => {
  site.database().exec("DELETE FROM videos");
  for (const name of filesIn(site.uploads)) fs.rmSync(path.join(site.uploads, name));
});

const tus = (method: string, at: string, headers: Record<string, string>, body?: Buffer) =>
  sendRequest(site, method, at, { Cookie: cookie, ...headers }, body);

/** Creates an upload and returns its URL. */
async function create(size = clip.length, headers: Record<string, string> = {}): Promise<string> {
  const response = await tus("POST", "/admin/uploads", {
    ...TUS,
    "Upload-Length": String(size),
    "Upload-Metadata": `filename ${base64("clip.mp4")},filetype ${base64("video/mp4")}`,
    ...headers,
  });
  expect(response.status).toBe(201);
  return response.headers.location ?? "";
}

const patch = (at: string, offset: number, body: Buffer, headers: Record<string, string> = {}) =>
  tus("PATCH", at, { ...PATCH, "Upload-Offset": String(offset), ...headers }, body);

const head = (at: string, headers: Record<string, string> = {}) =>
  tus("HEAD", at, { ...TUS, ...headers });

const idOf = (at: string) => at.split("/").at(-1) ?? "";
const bytesOf = (at: string) => fs.readFileSync(path.join(site.uploads, "tmp", "tus", idOf(at)));

/** Publishes a completed upload as the browser's upload queue does. */
async function publish(at: string, texts: Record<string, string> = {}) {
  const { before } = multipartParts({ ...GOOD_TEXTS, upload: idOf(at), ...texts });
  const body = `${before.slice(0, before.lastIndexOf("------a-boundary"))}------a-boundary--\r\n`;
  const response = await sendRequest(
    site,
    "POST",
    "/admin/publish",
    { ...MULTIPART, Cookie: cookie },
    body,
  );
  return { status: response.status, outcome: JSON.parse(response.body) };
}

describe("an OPTIONS request", () => {
  it("returns the version, extensions, size limit and checksum algorithms", async () => {
    const { status, headers } = await tus("OPTIONS", "/admin/uploads", {});
    expect(status).toBe(204);
    expect(headers["tus-version"]).toBe("1.0.0");
    expect(headers["tus-max-size"]).toBe("8000000");
    expect(headers["tus-checksum-algorithm"]).toBe("sha1,sha256,sha512,md5");
    for (const extension of ["creation", "termination", "expiration", "checksum"]) {
      expect(String(headers["tus-extension"]).split(",")).toContain(extension);
    }
  });

  it("doesn't allow other origins", async () => {
    const { headers } = await tus("OPTIONS", "/admin/uploads", {});
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("every tus request", () => {
  it("returns 412 for an unsupported protocol version", async () => {
    const at = await create();
    for (const version of ["0.2.2", undefined]) {
      const response = await tus("HEAD", at, version ? { "Tus-Resumable": version } : {});
      expect([400, 412]).toContain(response.status);
    }
  });

  it("returns 401 without a session", async () => {
    const at = await create();
    const nobody = { Cookie: "" };
    expect(
      (await tus("POST", "/admin/uploads", { ...TUS, "Upload-Length": "9", ...nobody })).status,
    ).toBe(401);
    expect((await head(at, nobody)).status).toBe(401);
    expect((await patch(at, 0, clip, nobody)).status).toBe(401);
    expect((await tus("DELETE", at, { ...TUS, ...nobody })).status).toBe(401);
    expect(bytesOf(at)).toHaveLength(0);
  });

  it("returns 403 if it comes from another origin", async () => {
    const at = await create();
    const evil = { Origin: "https://evil.example" };
    expect(
      (await tus("POST", "/admin/uploads", { ...TUS, "Upload-Length": "9", ...evil })).status,
    ).toBe(403);
    expect((await patch(at, 0, clip, evil)).status).toBe(403);
    expect((await tus("DELETE", at, { ...TUS, ...evil })).status).toBe(403);
  });

  it("returns 404 for another user's upload", async () => {
    const at = await create();
    await patch(at, 0, clip);
    const other = at.replace(/uploads\/[^-]+/, "uploads/0123456789abcdef0123456789abcdef");
    fs.copyFileSync(
      path.join(site.uploads, "tmp/tus", idOf(at)),
      path.join(site.uploads, "tmp/tus", idOf(other)),
    );
    fs.copyFileSync(
      path.join(site.uploads, "tmp/tus", `${idOf(at)}.json`),
      path.join(site.uploads, "tmp/tus", `${idOf(other)}.json`),
    );
    expect((await head(other)).status).toBe(404);
    expect((await patch(other, clip.length, Buffer.alloc(0))).status).toBe(404);
    expect((await tus("DELETE", other, TUS)).status).toBe(404);
    expect((await publish(other)).status).toBe(404);
  });

  it.each(["..%2f..%2fsite.sqlite", "a.json", "%00"])(
    "is rejected if its upload id is %s",
    async (id) => {
      expect([400, 404]).toContain((await head(`/admin/uploads/${id}`)).status);
    },
  );
});

describe("creating an upload", () => {
  it("returns 201 with a URL and the expiration time", async () => {
    const response = await tus("POST", "/admin/uploads", { ...TUS, "Upload-Length": "100" });
    expect(response.status).toBe(201);
    expect(response.headers.location).toMatch(/^\/admin\/uploads\/[\w-]+$/);
    expect(response.headers["tus-resumable"]).toBe("1.0.0");
    const left = Date.parse(String(response.headers["upload-expires"])) - Date.now();
    expect(left / 3_600_000).toBeCloseTo(24, 1);
  });

  it("returns 413 if the length exceeds the size limit", async () => {
    const response = await tus("POST", "/admin/uploads", { ...TUS, "Upload-Length": "8000001" });
    expect(response.status).toBe(413);
  });

  it("returns 413 at the first byte beyond the size limit if the length is deferred", async () => {
    const deferred = await tus("POST", "/admin/uploads", { ...TUS, "Upload-Defer-Length": "1" });
    expect(deferred.status).toBe(201);
    const at = String(deferred.headers.location);
    const open = openRequest(site, "PATCH", at, {
      ...PATCH,
      Cookie: cookie,
      "Upload-Offset": "0",
      "Transfer-Encoding": "chunked",
    });
    const padded = Buffer.concat([clip, Buffer.alloc(9_000_000)]);
    await Promise.race([open.send(padded).catch(() => {}), open.response]);
    const { status, body } = await open.response;
    expect([status, body.trim()]).toEqual([413, "The video is larger than 7.6MB."]);
    expect(bytesOf(at).length).toBeLessThanOrEqual(8_000_000);
    const length = { "Upload-Length": "8000001" };
    expect((await patch(at, bytesOf(at).length, Buffer.alloc(0), length)).status).toBe(413);
  });

  it("returns 429 if the user has 100 unfinished uploads", async () => {
    for (let each = 0; each < 100; each++) await create(100);
    const response = await tus("POST", "/admin/uploads", { ...TUS, "Upload-Length": "100" });
    expect([response.status, response.body.trim()]).toEqual([
      429,
      "You already have 100 unfinished uploads. Finish or cancel one of them first.",
    ]);
  });

  it.each([
    ["no length", {}],
    ["a negative length", { "Upload-Length": "-1" }],
    ["a length that isn't a number", { "Upload-Length": "many" }],
    ["metadata that isn't base64", { "Upload-Length": "5", "Upload-Metadata": "a b c, ," }],
  ])("returns 400 with %s", async (_, headers) => {
    expect((await tus("POST", "/admin/uploads", { ...TUS, ...headers })).status).toBe(400);
  });

  it("returns 415 if the metadata declares an image", async () => {
    const headers = { "Upload-Length": "5", "Upload-Metadata": `filetype ${base64("image/png")}` };
    expect((await tus("POST", "/admin/uploads", { ...TUS, ...headers })).status).toBe(415);
  });

  it("can include the file's first bytes", async () => {
    const response = await tus(
      "POST",
      "/admin/uploads",
      { ...PATCH, "Upload-Length": String(clip.length) },
      clip.subarray(0, 50_000),
    );
    expect([response.status, response.headers["upload-offset"]]).toEqual([201, "50000"]);
  });

  it("ignores metadata that a client must not set", async () => {
    const forged = `filename ${base64("x.mp4")},sha256 ${base64("f".repeat(64))}`;
    const at = await create(clip.length, { "Upload-Metadata": forged });
    expect((await publish(at)).status).toBe(409);
  });
});

describe("a HEAD request", () => {
  it("returns the offset and the length, and is never cached", async () => {
    const at = await create();
    await patch(at, 0, clip.subarray(0, 12_345));
    const { status, headers } = await head(at);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "upload-offset": "12345",
      "upload-length": String(clip.length),
      "cache-control": "no-store",
      "tus-resumable": "1.0.0",
    });
  });

  it("returns 404 for a missing upload", async () => {
    expect((await head(`${await create()}0`)).status).toBe(404);
  });
});

describe("a PATCH request", () => {
  it("appends at the offset until the file is complete", async () => {
    const at = await create();
    const half = Math.floor(clip.length / 2);
    expect((await patch(at, 0, clip.subarray(0, half))).headers["upload-offset"]).toBe(
      String(half),
    );
    const last = await patch(at, half, clip.subarray(half));
    expect([last.status, last.headers["upload-offset"]]).toEqual([204, String(clip.length)]);
    expect(bytesOf(at).equals(clip)).toBe(true);
  });

  it("returns 409 and changes nothing if the offset doesn't match", async () => {
    const at = await create();
    await patch(at, 0, clip.subarray(0, 10_000));
    expect((await patch(at, 9_999, clip.subarray(9_999, 20_000))).status).toBe(409);
    expect((await patch(at, 20_000, clip.subarray(20_000, 30_000))).status).toBe(409);
    expect(bytesOf(at)).toHaveLength(10_000);
  });

  it("is rejected if it has the wrong content type or no offset", async () => {
    const at = await create();
    const plain = { "Content-Type": "application/octet-stream" };
    expect((await patch(at, 0, clip, plain)).status).toBe(400);
    expect((await tus("PATCH", at, PATCH, clip)).status).toBe(403);
    expect(bytesOf(at)).toHaveLength(0);
  });

  it("returns 413 if it exceeds the declared length", async () => {
    const at = await create(10_000);
    expect((await patch(at, 0, clip.subarray(0, 20_000))).status).toBe(413);
    const open = openRequest(site, "PATCH", at, {
      ...PATCH,
      Cookie: cookie,
      "Upload-Offset": "0",
      "Transfer-Encoding": "chunked",
    });
    open.request.end(clip.subarray(0, 20_000));
    expect((await open.response).status).toBe(413);
    expect(bytesOf(at).length).toBeLessThanOrEqual(10_000);
  });

  it("returns 415 after the first bytes of a file that isn't a video, and removes the upload", async () => {
    const at = await create(20_000);
    expect((await patch(at, 0, Buffer.alloc(20_000, 7))).status).toBe(415);
    expect((await head(at)).status).toBe(404);
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("can be sent as a POST request with X-HTTP-Method-Override", async () => {
    const at = await create();
    const headers = { ...PATCH, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH" };
    const response = await tus("POST", at, headers, clip);
    expect([response.status, response.headers["upload-offset"]]).toEqual([
      204,
      String(clip.length),
    ]);
  });

  it("can't be sent as a GET request with X-HTTP-Method-Override, because the origin of GET requests isn't checked", async () => {
    const at = await create();
    const headers = { Origin: "https://evil.example", "X-HTTP-Method-Override": "DELETE" };
    await tus("GET", at, headers);
    expect((await head(at)).status).toBe(200);
  });

  it("keeps the bytes that were received before the connection was lost, so that the upload can be resumed", async () => {
    const at = await create();
    const open = openRequest(site, "PATCH", at, {
      ...PATCH,
      Cookie: cookie,
      "Upload-Offset": "0",
      "Content-Length": String(clip.length),
    });
    await open.send(clip.subarray(0, 70_000));
    await expect.poll(() => bytesOf(at).length).toBe(70_000);
    open.request.destroy();
    await expect
      .poll(async () => (await patch(at, 70_000, clip.subarray(70_000))).status)
      .toBe(204);
    expect(bytesOf(at).equals(clip)).toBe(true);
    expect((await publish(at)).status).toBe(201);
  });

  it("replaces a previous request whose connection is dead", async () => {
    const at = await create();
    const dead = openRequest(site, "PATCH", at, {
      ...PATCH,
      Cookie: cookie,
      "Upload-Offset": "0",
      "Content-Length": String(clip.length),
    });
    await dead.send(clip.subarray(0, 30_000));
    await expect.poll(() => bytesOf(at).length).toBe(30_000);
    expect((await head(at)).headers["upload-offset"]).toBe("30000");
    expect((await patch(at, 30_000, clip.subarray(30_000))).status).toBe(204);
    expect(bytesOf(at).equals(clip)).toBe(true);
    dead.request.destroy();
  });
});

describe("a checksum", () => {
  const sum = (algorithm: string, bytes: Buffer) => ({
    "Upload-Checksum": `${algorithm} ${createHash(algorithm).update(bytes).digest("base64")}`,
  });

  it.each(["sha1", "sha256", "sha512", "md5"])("is verified with %s", async (algorithm) => {
    const at = await create();
    const part = clip.subarray(0, 40_000);
    expect((await patch(at, 0, part, sum(algorithm, clip))).status).toBe(460);
    expect((await head(at)).headers["upload-offset"]).toBe("0");
    expect((await patch(at, 0, part, sum(algorithm, part))).status).toBe(204);
    const rest = clip.subarray(40_000);
    expect((await patch(at, 40_000, rest, sum(algorithm, rest))).status).toBe(204);
    expect((await publish(at)).status).toBe(201);
  });

  it("causes an incomplete chunk to be discarded if the connection is lost", async () => {
    const at = await create();
    const open = openRequest(site, "PATCH", at, {
      ...PATCH,
      ...sum("sha1", clip),
      Cookie: cookie,
      "Upload-Offset": "0",
      "Content-Length": String(clip.length),
    });
    await open.send(clip.subarray(0, 70_000));
    await expect.poll(() => bytesOf(at).length).toBe(70_000);
    open.request.destroy();
    await expect.poll(async () => (await head(at)).headers["upload-offset"]).toBe("0");
  });

  it("is rejected with 400 if its algorithm is unsupported", async () => {
    const at = await create();
    expect((await patch(at, 0, clip, { "Upload-Checksum": "crc32 AAAA" })).status).toBe(400);
  });
});

describe("terminating an upload", () => {
  it("removes the upload", async () => {
    const at = await create();
    await patch(at, 0, clip.subarray(0, 1_000));
    expect((await tus("DELETE", at, TUS)).status).toBe(204);
    expect([404, 410]).toContain((await head(at)).status);
    expect(filesIn(site.uploads)).toEqual([]);
  });
});

describe("a stored upload", () => {
  const file = (at: string) => path.join(site.uploads, "tmp/tus", idOf(at));
  const record = (at: string) => `${file(at)}.json`;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  /** Backdates creating an upload and its last received byte. */
  const age = (at: string, created: number, received: number) => {
    const upload = JSON.parse(fs.readFileSync(record(at), "utf8"));
    upload.creation_date = hoursAgo(created).toISOString();
    fs.writeFileSync(record(at), JSON.stringify(upload));
    fs.utimesSync(file(at), hoursAgo(received), hoursAgo(received));
  };

  it("can't be resumed after a day without new bytes, and is removed from the disk at the next start", async () => {
    const old = await create();
    const young = await create();
    age(old, 24.1, 24.1);
    age(young, 72, 23);
    expect([404, 410]).toContain((await patch(old, 0, clip)).status);
    expect((await head(young)).status).toBe(200);
    await site.stop();
    const yesterday = hoursAgo(24);
    for (const name of ["rest-of-a-form", "tus/bytes-without-a-record"]) {
      fs.writeFileSync(path.join(site.uploads, "tmp", name), "x");
      fs.utimesSync(path.join(site.uploads, "tmp", name), yesterday, yesterday);
    }
    await site.start();
    const left = filesIn(path.join(site.uploads, "tmp"));
    expect(left).toEqual([`tus/${idOf(young)}`, `tus/${idOf(young)}.json`]);
  });

  it("is kept for a day after its last byte is received, no matter when it was created or whether it is complete", async () => {
    const at = await create();
    await patch(at, 0, clip.subarray(0, 50_000));
    age(at, 72, 23);
    expect((await patch(at, 50_000, clip.subarray(50_000))).status).toBe(204);
    age(at, 72, 23);
    expect((await head(at)).status).toBe(200);
    age(at, 72, 24.1);
    expect([404, 410]).toContain((await head(at)).status);
  });

  it("can be resumed after the server was killed, and its digest is still correct", async () => {
    const at = await create();
    await patch(at, 0, clip.subarray(0, 50_000));
    await site.stop("SIGKILL");
    await site.start();
    expect((await head(at)).headers["upload-offset"]).toBe("50000");
    await patch(at, 50_000, clip.subarray(50_000));
    const { status, outcome } = await publish(at);
    expect(status).toBe(201);
    const sha256 = site
      .database()
      .prepare("SELECT sha256 FROM video_digests WHERE video_id = ?")
      .pluck()
      .get(outcome.video.id);
    expect(sha256).toBe(createHash("sha256").update(clip).digest("hex"));
  });
});

describe("publishing a completed upload", () => {
  async function sent(): Promise<string> {
    const at = await create();
    await patch(at, 0, clip);
    return at;
  }

  it("creates a row and a file, and leaves nothing behind in tmp", async () => {
    const { status, outcome } = await publish(await sent());
    expect([status, outcome.ok, outcome.video.status]).toEqual([201, true, "published"]);
    const [row] = site.database().prepare("SELECT * FROM videos").all() as Record<string, string>[];
    expect(row).toMatchObject({ title: GOOD_TEXTS.title, duration: "0:03", status: "published" });
    expect(filesIn(path.join(site.uploads, "tmp"))).toEqual([]);
    const file = path.join(site.uploads, row!.video_url!.replace("/media/", ""));
    expect(fs.readFileSync(file).equals(withoutMetadata(clip))).toBe(true);
  });

  it("can be retried after a validation error, without sending the file again", async () => {
    const at = await sent();
    expect((await publish(at, { title: " " })).status).toBe(422);
    const first = await publish(at);
    expect(first.status).toBe(201);
    // The response may have been lost, so a repeated request returns the same video.
    expect(await publish(at)).toEqual(first);
    expect(site.database().prepare("SELECT count(*) FROM videos").pluck().get()).toBe(1);
  });

  it("creates only one video if it is requested twice at the same time", async () => {
    const at = await sent();
    const responses = await Promise.all([publish(at), publish(at), publish(at)]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(site.database().prepare("SELECT count(*) FROM videos").pluck().get()).toBe(1);
  });

  it("returns 409 if the upload isn't complete yet", async () => {
    const at = await create();
    await patch(at, 0, clip.subarray(0, 10_000));
    expect((await publish(at)).status).toBe(409);
    expect((await head(at)).headers["upload-offset"]).toBe("10000");
  });

  it("reports an exact duplicate, and keeps both videos on request", async () => {
    const first = (await publish(await sent())).outcome.video;
    const at = await sent();
    const { status, outcome } = await publish(at, { title: "Again", duplicate: "ask" });
    expect(status).toBe(409);
    expect(outcome.failure.duplicate).toMatchObject({ id: first.id, upload: idOf(at) });
    expect((await publish(at, { title: "Again", duplicate: "keep" })).status).toBe(201);
  });
});

it("rejects an upload with 507 before the first byte if the disk is full", async () => {
  const full = new SiteProcess({ MAX_VIDEO_BYTES: String(10 ** 15) });
  try {
    await full.start();
    const headers = { ...TUS, "Upload-Length": String(9 * 10 ** 14), Cookie: await signInTo(full) };
    const { status, body } = await sendRequest(full, "POST", "/admin/uploads", headers);
    expect([status, body.trim()]).toEqual([507, "There is not enough disk space for this file."]);
  } finally {
    await full.remove();
  }
});

it("reserves disk space for the declared size of every kind of upload", async () => {
  const { bavail, bsize } = fs.statfsSync(os.tmpdir());
  // Two uploads of this size never fit on the disk, even if other tests free space in the meantime.
  const size = Math.floor(bavail * bsize * 0.6);
  const crowded = new SiteProcess({ MAX_VIDEO_BYTES: String(10 ** 15) });
  const noRoom = "There is not enough disk space for this file.";
  try {
    await crowded.start();
    const Cookie = await signInTo(crowded);
    const begin = () =>
      sendRequest(crowded, "POST", "/admin/uploads", {
        ...TUS,
        "Upload-Length": String(size),
        Cookie,
      });
    const responses = await Promise.all([begin(), begin()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 507]);

    const form = openRequest(crowded, "POST", "/admin/publish", {
      ...MULTIPART,
      Cookie,
      "Content-Length": String(size),
    });
    form.request.flushHeaders();
    await form.send(multipartParts(GOOD_TEXTS).before);
    await form.send(Buffer.alloc(2 * 1024 * 1024)).catch(() => {});
    const rejected = await form.response;
    expect([rejected.status, JSON.parse(rejected.body).failure.message]).toEqual([507, noRoom]);
    form.request.destroy();

    // The reservation survives a restart, and is released when the upload is deleted.
    await crowded.stop();
    await crowded.start();
    expect((await begin()).status).toBe(507);
    const url = String(responses.find(({ status }) => status === 201)?.headers.location);
    expect((await sendRequest(crowded, "DELETE", url, { ...TUS, Cookie })).status).toBe(204);
    expect((await begin()).status).toBe(201);
  } finally {
    await crowded.remove();
  }
});
