import fs from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { cpuSeconds } from "../../process-figures";
import { BOUNDARY, MULTIPART, multipartParts, openRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { filesIn, GOOD_TEXTS } from "../../upload-requests";
import { withoutMetadata } from "../../without-metadata";

const { before, after } = multipartParts(GOOD_TEXTS);
const MIB = Buffer.alloc(1024 * 1024, 7);
const clip = fs.readFileSync(mp4Clip(2));

function rows(site: SiteProcess): number {
  return site.database().prepare("SELECT count(*) FROM videos").pluck().get() as number;
}

/** Sends bytes until the server closes the connection. Returns the number of bytes that the server accepted. */
async function sendUntilCut(open: ReturnType<typeof openRequest>, most: number): Promise<number> {
  let sent = 0;
  let answered = false;
  open.response.finally(() => {
    answered = true;
  });
  try {
    while (sent < most && !answered) {
      await open.send(MIB);
      sent += MIB.length;
    }
  } catch {
    // The server closed the connection while we were sending, as expected.
  }
  return sent;
}

describe("an upload over a real connection", () => {
  const site = new SiteProcess({ MAX_VIDEO_BYTES: "8000000" });
  let cookie: string;
  beforeAll(async () => {
    await site.start();
    cookie = await signInTo(site);
  });
  afterAll(() => site.remove());
  afterEach(() => {
    site.database().exec("DELETE FROM videos");
    fs.rmSync(`${site.uploads}/videos`, { recursive: true, force: true });
  });

  const post = (headers: Record<string, string> = {}) =>
    openRequest(site, "POST", "/admin", { ...MULTIPART, Cookie: cookie, ...headers });

  it("is accepted in chunks of any size", async () => {
    const open = post();
    await open.send(before);
    for (let at = 0; at < clip.length; at += 7_919) await open.send(clip.subarray(at, at + 7_919));
    open.request.end(after);
    const { status, headers } = await open.response;
    expect([status, headers.location]).toEqual([302, "/admin"]);
    expect(rows(site)).toBe(1);
    const [file] = filesIn(`${site.uploads}/videos`);
    const stored = fs.readFileSync(`${site.uploads}/videos/${file}`);
    expect(stored.equals(withoutMetadata(clip))).toBe(true);
  });

  it("is rejected with 413 while the client is still sending if its Content-Length is too large", async () => {
    const open = post({ "Content-Length": "5000000000" });
    await open.send(before);
    const sent = await sendUntilCut(open, 4_000_000_000);
    const { status, headers, body } = await open.response;
    expect(status).toBe(413);
    expect(headers.connection).toBe("close");
    expect(body.includes("The video is larger than 7.6MB.")).toBe(true);
    expect(body.includes(GOOD_TEXTS.title)).toBe(true);
    expect(sent).toBeLessThan(200_000_000);
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("is rejected with 413 as soon as it exceeds the size limit, and keeps the text fields", async () => {
    const open = post({ "Transfer-Encoding": "chunked" });
    await open.send(before);
    await open.send(clip);
    const sent = await sendUntilCut(open, 5_000_000_000);
    const { status, body } = await open.response;
    expect(status).toBe(413);
    expect(body.includes(GOOD_TEXTS.title)).toBe(true);
    expect(sent).toBeLessThan(200_000_000);
    expect(filesIn(site.uploads)).toEqual([]);
    expect(rows(site)).toBe(0);
  });

  it("is rejected with 415 while the client is still sending if the file isn't a video", async () => {
    const open = post({ "Transfer-Encoding": "chunked" });
    await open.send(before);
    for (let sent = 0; sent < 3; sent++) await open.send(MIB).catch(() => {});
    expect((await open.response).status).toBe(415);
    open.request.destroy();
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it.each([
    ["without a name", "\r\n\r\nx"],
    ["without a header", "\r\n"],
    ["with one name each", '\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'],
  ])("is rejected with 413 after the first 100 parts (8 MB of parts %s)", async (_, part) => {
    const pid = site.child?.pid ?? 0;
    const bytes = Buffer.from(`--${BOUNDARY}${part}\r\n`.repeat(8_000_000 / (part.length + 20)));
    const before = cpuSeconds(pid);
    const open = post({ "Content-Length": String(bytes.length) });
    await Promise.race([open.send(bytes).catch(() => {}), open.response]);
    const { status, headers } = await open.response;
    expect([status, headers.connection]).toEqual([413, "close"]);
    await new Promise((closed) => open.request.once("close", closed));
    expect(cpuSeconds(pid) - before).toBeLessThan(1);
  });

  it("is rejected with 400 and a reason while the client is still sending if there is no session", async () => {
    const open = post({ Cookie: "", "Content-Length": "7000000" });
    await sendUntilCut(open, 2_000_000);
    const { status, body } = await open.response;
    expect(status).toBe(400);
    expect(body).toContain("You must be logged in to upload videos.");
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("is rejected while the client is still sending if it comes from another origin", async () => {
    const open = post({ Origin: "https://evil.example", "Content-Length": "7000000" });
    await sendUntilCut(open, 2_000_000);
    expect((await open.response).status).toBe(403);
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("leaves nothing behind if the client disconnects", async () => {
    const open = post({ "Content-Length": "7000000" });
    await open.send(before);
    await open.send(clip);
    await expect.poll(() => filesIn(`${site.uploads}/tmp`).length).toBe(1);
    open.request.destroy();
    await expect.poll(() => filesIn(site.uploads)).toEqual([]);
    expect(rows(site)).toBe(0);
    expect(site.log).not.toContain("Error");
  });

  it("leaves nothing behind if the server is killed and is restarted an hour later", async () => {
    const open = post({ "Content-Length": "7000000" });
    await open.send(before);
    await open.send(clip);
    await expect.poll(() => filesIn(`${site.uploads}/tmp`).length).toBe(1);
    await site.stop("SIGKILL");
    await expect(open.response).rejects.toThrow();
    const [left] = filesIn(`${site.uploads}/tmp`);
    await site.start();
    // The file is kept, because another process could be writing it.
    expect(filesIn(site.uploads)).toEqual([`tmp/${left}`]);
    await site.stop();
    const long = new Date(Date.now() - 61 * 60_000);
    fs.utimesSync(`${site.uploads}/tmp/${left}`, long, long);
    await site.start();
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("doesn't wait for another upload whose client has stopped sending", async () => {
    const stalled = Array.from({ length: 20 }, () => post({ "Content-Length": "7000000" }));
    for (const open of stalled) await open.send(before);
    const open = post();
    open.request.end(Buffer.concat([Buffer.from(before), clip, Buffer.from(after)]));
    expect((await open.response).status).toBe(302);
    for (const each of stalled) each.request.destroy();
    await expect.poll(() => filesIn(`${site.uploads}/tmp`)).toEqual([]);
  });

  it("may have data before its first boundary and after its last one", async () => {
    const open = post();
    open.request.end(
      Buffer.concat([Buffer.from(`preamble\r\n${before}`), clip, Buffer.from(`${after}epilogue`)]),
    );
    expect((await open.response).status).toBe(302);
  });
});

describe("a full disk", () => {
  it("causes an upload to be rejected with 507 before its first byte if its Content-Length exceeds the free space", async () => {
    const site = new SiteProcess({ MAX_VIDEO_BYTES: String(10 ** 15) });
    try {
      await site.start();
      const cookie = await signInTo(site);
      const headers = { ...MULTIPART, Cookie: cookie, "Content-Length": String(9 * 10 ** 14) };
      const open = openRequest(site, "POST", "/admin", headers);
      await open.send(before);
      await sendUntilCut(open, 100_000_000);
      const { status, body } = await open.response;
      expect(status).toBe(507);
      expect(body.includes("There is not enough disk space for this file.")).toBe(true);
      open.request.destroy();
    } finally {
      await site.remove();
    }
  });

  it("causes an upload in progress to fail with 507, and leaves nothing behind", async () => {
    // A file size limit makes writes fail as they would on a full disk, and setting it doesn't require root.
    const site = new SiteProcess({}, ["sh", "-c", 'trap "" XFSZ; ulimit -f 8192; exec "$0" "$@"']);
    try {
      await site.start();
      const cookie = await signInTo(site);
      const headers = { ...MULTIPART, Cookie: cookie, "Transfer-Encoding": "chunked" };
      const open = openRequest(site, "POST", "/admin", headers);
      await open.send(before);
      await open.send(clip);
      await sendUntilCut(open, 1_000_000_000);
      const { status, body } = await open.response;
      expect(status).toBe(507);
      expect(body.includes(GOOD_TEXTS.title)).toBe(true);
      expect(filesIn(site.uploads)).toEqual([]);
      expect(rows(site)).toBe(0);
    } finally {
      await site.remove();
    }
  });
});
