import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { action, loader } from "~/routes/uploads";
import { adminCookie, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { filesIn } from "../../upload-requests";

/** Resumable uploads through the route; tus.test.ts has the rules of the protocol over HTTP. */

const ORIGIN = "http://localhost";
const MAX_VIDEO_BYTES = 2_000_000;
const SENT_BYTES = 70_000;
const site = useAdminSite({ MAX_VIDEO_BYTES: String(MAX_VIDEO_BYTES) });
const clip = fs.readFileSync(mp4Clip(3));

/** Returns the response, also one that is thrown. */
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

/** @param bytes the length that the request announces, if it does. */
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

  it("ends at the size limit while bytes arrive", async () => {
    const url = await createUpload({ "Upload-Defer-Length": "1" });
    const content = Buffer.concat([clip, Buffer.alloc(MAX_VIDEO_BYTES + 1 - clip.length)]);
    expect((await patch(url, 0, content)).status).toBe(413);
    expect(fs.statSync(fileOf(url)).size).toBeLessThanOrEqual(MAX_VIDEO_BYTES);
  });

  it("is refused at its first bytes if it isn't a video", async () => {
    const content = Buffer.alloc(20_000, "not a video ");
    const url = await createUpload({ "Upload-Length": String(clip.length) });
    expect((await patch(url, 0, content, content.length)).status).toBe(415);
    expect((await send("HEAD", url)).status).toBe(404);
    expect(fs.existsSync(fileOf(url))).toBe(false);
  });
});
