import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openSession } from "~/features/permissions/session.server";
import { action as publish } from "~/features/upload/routes/publish";
import { action, loader } from "~/features/upload/routes/uploads";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { filesIn, uploadRequest } from "../../upload-requests";

/** Tests resumable uploads through the route. tus.test.ts tests the protocol's rules over HTTP. */

const ORIGIN = "http://localhost";
const MAX_VIDEO_BYTES = 2_000_000;
const SENT_BYTES = 70_000;
const site = useAdminSite({ MAX_VIDEO_BYTES: String(MAX_VIDEO_BYTES) });
const clip = fs.readFileSync(mp4Clip(3));

/** Returns the response, even if the handler throws it. */
async function send(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  content?: Buffer | ReadableStream,
): Promise<Response> {
  const request = new Request(new URL(url, ORIGIN), {
    method,
    headers: { "Tus-Resumable": "1.0.0", Origin: ORIGIN, Cookie: adminCookie(), ...headers },
    body: content as BodyInit,
    duplex: "half",
  } as RequestInit);
  const handle = method === "HEAD" ? loader : action;
  return handle({ request, params: {}, context: {} }).catch((thrown: Response) => thrown);
}

const create = (headers: Record<string, string>) => send("POST", "/admin/uploads", headers);

/** @param bytes the length that the request declares, if any. */
function patch(url: string, offset: number, content: Buffer | ReadableStream, bytes?: number) {
  const headers = {
    "Content-Type": "application/offset+octet-stream",
    "Upload-Offset": String(offset),
    ...(bytes && { "Content-Length": String(bytes) }),
  };
  return send("PATCH", url, headers, content);
}

/** Creates an upload of a video file. Returns its URL. */
async function createUpload(headers: Record<string, string>): Promise<string> {
  const response = await create(headers);
  expect(response.status).toBe(201);
  return response.headers.get("Location") ?? "";
}

/** Simulates a disk with this size, on which only the files of resumable uploads take up space. */
function setFreeSpace(bytes: number): void {
  const folder = path.join(site.uploads, "tmp/tus");
  const used = () =>
    filesIn(site.uploads)
      .filter((name) => name.startsWith("tmp/tus/") && !name.endsWith(".json"))
      .reduce((sum, name) => sum + fs.statSync(path.join(folder, path.basename(name))).size, 0);
  vi.spyOn(fs.promises, "statfs").mockImplementation(
    async () => ({ bsize: 1, blocks: 0, bavail: bytes - used() }) as never,
  );
}

/** Backdates an upload, as if its last byte had been received that long ago. */
function age(url: string, minutes: number): void {
  const then = new Date(Date.now() - minutes * 60_000);
  fs.utimesSync(fileOf(url), then, then);
}

const setRole = (role: string) => sqliteHandle().prepare("UPDATE users SET role = ?").run(role);

const fileOf = (url: string) => path.join(site.uploads, "tmp/tus", path.basename(url));

describe("a resumable upload", () => {
  it("requires a session", async () => {
    const response = await create({ "Upload-Length": String(clip.length), Cookie: "" });
    expect(response.status).toBe(401);
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("resumes after a dropped connection", async () => {
    const url = await createUpload({ "Upload-Length": String(clip.length) });
    let connection!: ReadableStreamDefaultController;
    const body = new ReadableStream({
      start(controller) {
        connection = controller;
        controller.enqueue(clip.subarray(0, SENT_BYTES));
      },
    });
    const dropped = patch(url, 0, body, clip.length);
    await expect.poll(() => fs.statSync(fileOf(url)).size).toBe(SENT_BYTES);
    connection.error(new Error("The connection was dropped."));
    expect((await dropped).ok).toBe(false);
    const { headers } = await send("HEAD", url);
    expect(headers.get("Upload-Offset")).toBe(String(SENT_BYTES));
    const rest = clip.subarray(SENT_BYTES);
    expect((await patch(url, SENT_BYTES, rest, rest.length)).status).toBe(204);
    expect(fs.readFileSync(fileOf(url)).equals(clip)).toBe(true);
  });

  it("is stopped at the size limit while it is being received", async () => {
    const url = await createUpload({ "Upload-Defer-Length": "1" });
    const content = Buffer.concat([clip, Buffer.alloc(MAX_VIDEO_BYTES + 1 - clip.length)]);
    expect((await patch(url, 0, content)).status).toBe(413);
    expect(fs.statSync(fileOf(url)).size).toBeLessThanOrEqual(MAX_VIDEO_BYTES);
  });

  it("is rejected after its first bytes if it isn't a video", async () => {
    const content = Buffer.alloc(20_000, "not a video ");
    const url = await createUpload({ "Upload-Length": String(clip.length) });
    expect((await patch(url, 0, content, content.length)).status).toBe(415);
    expect((await send("HEAD", url)).status).toBe(404);
    expect(fs.existsSync(fileOf(url))).toBe(false);
  });
});

describe("a disk space reservation", () => {
  const ROOM = 1_900_000;
  const declare = (bytes: number, headers = {}) =>
    create({ "Upload-Length": String(bytes), ...headers });
  afterEach(() => vi.restoreAllMocks());

  it("expires after 10 minutes if no bytes were received", async () => {
    setFreeSpace(ROOM);
    const first = (await declare(1_500_000)).headers.get("Location") ?? "";
    expect((await declare(1_500_000)).status).toBe(507);
    age(first, 9);
    expect((await declare(1_500_000)).status).toBe(507);
    age(first, 11);
    expect((await declare(1_500_000)).status).toBe(201);
  });

  it("doesn't expire if bytes have been received", async () => {
    setFreeSpace(ROOM);
    const url = (await declare(1_500_000)).headers.get("Location") ?? "";
    const part = clip.subarray(0, SENT_BYTES);
    expect((await patch(url, 0, part, part.length)).status).toBe(204);
    age(url, 60);
    expect((await declare(1_500_000)).status).toBe(507);
  });

  it("is renewed if the upload resumes after the expiration and there is enough space", async () => {
    setFreeSpace(clip.length + 1_000);
    const late = await createUpload({ "Upload-Length": String(clip.length) });
    age(late, 11);
    const other = await createUpload({ "Upload-Length": String(clip.length) });
    const rejected = await patch(late, 0, clip, clip.length);
    expect([rejected.status, await rejected.text()]).toEqual([
      507,
      "There is not enough disk space for this file.\n",
    ]);
    expect((await send("HEAD", late)).headers.get("Upload-Offset")).toBe("0");
    expect((await send("DELETE", other)).status).toBe(204);
    expect((await patch(late, 0, clip, clip.length)).status).toBe(204);
  });

  it("is only renewed for one of two uploads that resume at the same time", async () => {
    setFreeSpace(clip.length + 1_000);
    const one = await createUpload({ "Upload-Length": String(clip.length) });
    age(one, 11);
    const two = await createUpload({ "Upload-Length": String(clip.length) });
    age(two, 11);
    const both = await Promise.all([one, two].map((url) => patch(url, 0, clip, clip.length)));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 507]);
  });

  it("is limited to a quarter of the free space for each uploader", async () => {
    setFreeSpace(ROOM);
    setRole("uploader");
    const first = (await declare(400_000)).headers.get("Location") ?? "";
    const rejected = await declare(100_000);
    expect([rejected.status, await rejected.text()]).toEqual([
      507,
      "Your unfinished uploads can use at most a quarter of the free disk space (463.9KB). Finish or cancel another upload first, or upload a smaller file.\n",
    ]);
    sqliteHandle().exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('u-2', 'b@b.c', 'x', 'uploader')",
    );
    const Cookie = (await openSession("u-2")).split(";")[0] ?? "";
    expect((await declare(400_000, { Cookie })).status).toBe(201);
    age(first, 11);
    expect((await declare(100_000)).status).toBe(201);
    // Resuming the expired upload would exceed the uploader's share again.
    const content = clip.subarray(0, SENT_BYTES);
    expect((await patch(first, 0, content, content.length)).status).toBe(507);
  });

  it("for a form is also limited to a quarter of the free space, and a rejected form keeps its text fields", async () => {
    setFreeSpace(ROOM);
    setRole("uploader");
    const body = await uploadRequest(new Blob([new Uint8Array(clip)])).arrayBuffer();
    const boundary = Buffer.from(body.slice(2, 80)).toString().split("\r\n")[0];
    const submit = (bytes: number) =>
      publish({
        request: new Request(`${ORIGIN}/admin/publish`, {
          method: "POST",
          headers: {
            Origin: ORIGIN,
            Cookie: adminCookie(),
            "Content-Type": `multipart/form-data; boundary=${boundary}`,
            "Content-Length": String(bytes),
          },
          body,
        }),
        params: {},
        context: {},
      });
    const rejected = (await submit(500_000)) as unknown as Response;
    expect(rejected.status).toBe(507);
    expect(await rejected.json()).toMatchObject({
      failure: {
        message: expect.stringContaining("at most a quarter of the free disk space"),
        texts: { title: "A walk at night" },
      },
    });
  });

  it.each(["owner", "editor"])(
    "is not limited to a quarter of the free space for an %s",
    async (role) => {
      setFreeSpace(ROOM);
      setRole(role);
      expect((await declare(1_500_000)).status).toBe(201);
    },
  );
});
