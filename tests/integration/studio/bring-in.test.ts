import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { download, INTERNET, parseAddress } from "~/features/upload/import/download.server";
import {
  addDownloads,
  cancelDownload,
  listDownloads,
  resumeDownloads,
  runDownloads,
} from "~/features/upload/import/downloads.server";
import { uploadRules } from "~/features/upload/receive-upload.server";
import * as route from "~/features/upload/routes/import";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { type VideoServer, videoServer } from "./video-server";

const CLIP = fs.readFileSync(mp4Clip(2));
const TEXTS = {
  title: "From afar",
  description: "A video.",
  category: "english",
  tags: ["night"],
} as const;

const site = useAdminSite();
let server: VideoServer;
/** Resolves when /slow.mp4 is requested. */
let slowIsRequested: Promise<void>;
beforeEach(async () => {
  let onSlowRequest = () => {};
  slowIsRequested = new Promise((resolve) => {
    onSlowRequest = resolve;
  });
  server = await videoServer(site.folder, ({ url }, response) => {
    const to = (location: string) => response.writeHead(302, { Location: location }).end();
    switch (url) {
      case "/video.mp4":
        return void response.writeHead(200, { "Content-Length": CLIP.length }).end(CLIP);
      case "/unknown-length.mp4":
        return void response.writeHead(200).end(CLIP);
      case "/slow.mp4":
        response.writeHead(200, { "Content-Length": CLIP.length }).write(CLIP.subarray(0, 9_000));
        return onSlowRequest();
      case "/cut.mp4":
        response.writeHead(200, { "Content-Length": CLIP.length }).write(CLIP.subarray(0, 9_000));
        return void setImmediate(() => response.destroy());
      case "/page":
        return void response.writeHead(200).end("<!doctype html><title>No video</title>");
      case "/packed.mp4":
        return void response.writeHead(200, { "Content-Encoding": "gzip" }).end(CLIP);
      case "/moved":
        return void to("/video.mp4");
      case "/to-http":
        return void to("http://videos.example/video.mp4");
      case "/to-inside":
        return void to("https://inside.example/video.mp4");
      case "/to-loopback":
        return void to("https://[::ffff:7f00:1]/video.mp4");
      case "/round":
        return void to("/round");
      default:
        return void response.writeHead(404).end();
    }
  });
});
afterEach(() => server.close());

function fetched(address: string, options: Partial<Parameters<typeof download>[1]> = {}) {
  return download(parseAddress(address), {
    rule: uploadRules().video,
    signal: new AbortController().signal,
    onProgress: () => {},
    network: server.network,
    ...options,
  });
}
const finished = () =>
  sqliteHandle().prepare("SELECT finished_at IS NOT NULL FROM downloads").pluck().all();
const temporaryFiles = () => fs.readdirSync(path.join(site.uploads, "tmp"));
const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => "taken",
    (error: Error) => error.message,
  );

describe("fetching a URL", () => {
  it.each([
    ["video.mp4", "video.mp4"],
    ["unknown-length.mp4", "unknown-length.mp4"],
    ["moved", "video.mp4"],
  ])("fetches the complete file from %s", async (name, fileName) => {
    const progress: number[] = [];
    const file = await fetched(server.address(name), {
      onProgress: (bytes) => progress.push(bytes),
    });
    expect(file).toMatchObject({ name: fileName, bytes: CLIP.length });
    expect(fs.readFileSync(file.path).equals(CLIP)).toBe(true);
    expect(progress.at(-1)).toBe(CLIP.length);
  });

  it.each([
    ["video.mp4", "This isn't a valid URL."],
    ["http://videos.example/video.mp4", "Only https:// URLs can be imported."],
    ["file:///etc/passwd", "Only https:// URLs can be imported."],
    ["https://me:secret@videos.example/", "URLs with a user name or password can't be imported."],
  ])("rejects a bad URL: %s", async (address, message) => {
    expect(() => parseAddress(address)).toThrow(message);
  });

  it.each([
    "https://127.0.0.1/video.mp4",
    "https://2130706433/video.mp4",
    "https://0x7f.1/video.mp4",
    "https://10.1.2.3/video.mp4",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/video.mp4",
    "https://[::ffff:127.0.0.1]/video.mp4",
    "https://[fe80::1]/video.mp4",
    "https://localhost/video.mp4",
  ])("rejects a URL that points to this machine or its network: %s", async (address) => {
    expect(await refusal(fetched(address, { network: INTERNET }))).toBe(
      "This host isn't on the public internet.",
    );
  });

  it.each(["https://inside.example/video.mp4", "https://both.example/video.mp4"])(
    "rejects a host name that resolves to a private address: %s",
    async (address) => {
      expect(await refusal(fetched(address))).toBe("This host isn't on the public internet.");
    },
  );

  it("connects to the address that was checked, even if the host name's address changes in the meantime", async () => {
    const address = `https://rebinding.example:${server.port}/video.mp4`;
    expect((await fetched(address)).bytes).toBe(CLIP.length);
    expect(server.lookedUp).toEqual(["rebinding.example"]);
    expect(await refusal(fetched(address))).toBe("This host isn't on the public internet.");
  });

  it.each([
    ["to-http", "Only https:// URLs can be imported."],
    ["to-inside", "This host isn't on the public internet."],
    ["to-loopback", "This host isn't on the public internet."],
    ["round", "The server redirected too many times."],
    ["nothing", "The server returned status 404 instead of the file."],
    ["packed.mp4", "The server uses an unsupported content encoding."],
    ["page", "This file isn’t a supported video."],
    ["cut.mp4", "The upload ended before it was complete."],
  ])("rejects a non-video response, and leaves no file behind: /%s", async (name, message) => {
    expect(await refusal(fetched(server.address(name)))).toBe(message);
    expect(temporaryFiles()).toEqual([]);
  });

  it.each(["video.mp4", "unknown-length.mp4"])(
    "enforces the upload size limit: %s",
    async (name) => {
      process.env.MAX_VIDEO_BYTES = "20000";
      forgetSettings();
      expect(await refusal(fetched(server.address(name)))).toMatch(/at most|up to|larger/i);
      expect(temporaryFiles()).toEqual([]);
    },
  );

  it("fails when the server stops responding, and requires a valid certificate", async () => {
    expect(await refusal(fetched(server.address("slow.mp4"), { idleMs: 200 }))).toBe(
      "The server stopped sending data.",
    );
    const untrusting = { ...server.network, ca: undefined };
    expect(await refusal(fetched(server.address("video.mp4"), { network: untrusting }))).toBe(
      "The server's certificate is invalid.",
    );
    expect(temporaryFiles()).toEqual([]);
  });
});

describe("an import from a URL", () => {
  const add = (name: string, status: "published" | "review" = "published") =>
    addDownloads(
      [
        {
          userId: "u",
          address: server.address(name),
          texts: { ...TEXTS, tags: ["night"] },
          status,
        },
      ],
      server.network,
    );
  const videos = () => sqliteHandle().prepare("SELECT * FROM videos").all();

  it("becomes a video just as an upload does, and only once", async () => {
    await add("video.mp4");
    await runDownloads();
    expect(videos()).toMatchObject([
      { title: "From afar", status: "published", category: "english", tags: '["night"]' },
    ]);
    expect(await listDownloads()).toMatchObject([{ state: "done", title: "From afar" }]);
    await add("moved", "review");
    await runDownloads();
    expect(videos()).toHaveLength(1);
    expect((await listDownloads())[0]).toMatchObject({
      state: "failed",
      reason: "Duplicate of “From afar”.",
    });
    expect(temporaryFiles()).toEqual([]);
  });

  it("shows its progress, and can be canceled", async () => {
    await add("slow.mp4");
    await slowIsRequested;
    const running = await vi.waitFor(async () => {
      const [first] = await listDownloads();
      expect(first).toMatchObject({ state: "running", progress: { total: CLIP.length } });
      return first;
    });
    expect(await cancelDownload(running!.id)).toBe(true);
    await runDownloads();
    expect((await listDownloads())[0]).toMatchObject({ state: "canceled" });
    expect(finished()).toEqual([1]);
    expect(await cancelDownload(running!.id)).toBe(false);
    expect(videos()).toEqual([]);
    expect(temporaryFiles()).toEqual([]);
  });

  it.each([
    ["deactivated", "UPDATE users SET deactivated_at = '2026-01-01'"],
    ["made an uploader", "UPDATE users SET role = 'uploader', may_publish = 1"],
  ])("isn't fetched for an account that was %s in the meantime", async (_, change) => {
    await add("video.mp4");
    sqliteHandle().exec(change);
    await runDownloads();
    expect(await listDownloads()).toMatchObject([{ state: "failed" }]);
    expect(videos()).toEqual([]);
    expect(temporaryFiles()).toEqual([]);
  });

  it("isn't published for an account that was deactivated while it was being fetched", async () => {
    await add("video.mp4");
    const publishing = vi.waitFor(() => {
      const state = sqliteHandle().prepare("SELECT state FROM downloads").pluck().get();
      expect(state).toBe("running");
      sqliteHandle().exec("UPDATE users SET deactivated_at = '2026-01-01'");
    });
    await Promise.all([runDownloads(), publishing]);
    expect(await listDownloads()).toMatchObject([{ state: "failed" }]);
    expect(videos()).toEqual([]);
  });

  it("starts again after a restart", async () => {
    sqliteHandle()
      .prepare(
        `INSERT INTO downloads (user_id, address, texts, status, state)
         VALUES ('u', 'https://127.0.0.1/', ?, 'review', 'running')`,
      )
      .run(JSON.stringify(TEXTS));
    await resumeDownloads();
    await runDownloads();
    expect(await listDownloads()).toMatchObject([
      { state: "failed", reason: "This host isn't on the public internet." },
    ]);
    expect(finished()).toEqual([1]);
  });
});

describe("the import page", () => {
  const send = async (fields: Record<string, string>) => {
    const request = new Request("http://localhost/admin/import", {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Cookie: adminCookie(), Origin: "http://localhost", Host: "localhost" },
    });
    const response = await route
      .action({ request, params: {}, context: {} } as never)
      .catch((thrown: unknown) => thrown);
    if (response instanceof Response) return { status: response.status };
    const { data, init } = response as { data: Record<string, unknown>; init: { status: number } };
    return { status: init.status, ...data };
  };
  const texts = { title: "A", description: "B", category: "desi", tags: "" };
  const table = (rows: unknown) => send({ intent: "table", table: JSON.stringify(rows) });
  const downloads = () => sqliteHandle().prepare("SELECT address, status FROM downloads").all();

  it("accepts a URL together with the fields of an upload", async () => {
    const form = { ...texts, intent: "address-draft", address: "https://127.0.0.1/a.mp4" };
    expect(await send({ ...form, title: "" })).toMatchObject({
      status: 422,
      message: "Please fill in all required fields.",
      address: { address: form.address, fields: { title: "Enter a title." } },
    });
    expect(await send({ ...form, address: "http://videos.example/a.mp4" })).toMatchObject({
      status: 422,
      message: "Only https:// URLs can be imported.",
    });
    expect(downloads()).toEqual([]);
    expect(await send(form)).toEqual({ status: 302 });
    expect(downloads()).toEqual([{ address: form.address, status: "review" }]);
    await runDownloads();
  });

  it("accepts a table either completely or not at all", async () => {
    const row = { ...texts, address: "https://127.0.0.1/a.mp4" };
    expect(await table([row, { ...row, title: "C", category: "nonsense" }])).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^Row 2 \(C\): .* Nothing was imported\.$/),
    });
    expect(await table([row, { ...row, address: "ftp://videos.example/" }])).toMatchObject({
      status: 422,
    });
    expect(downloads()).toEqual([]);
    const csv = `address,title,description,category,tags,status
https://127.0.0.1/1.mp4,"One, two",Text,desi,"a,b",published
https://127.0.0.1/2.mp4,Two,Text,Desi,,
`;
    expect(await send({ intent: "table", table: csv })).toEqual({ status: 302 });
    expect(downloads()).toMatchObject([{ status: "published" }, { status: "review" }]);
    await runDownloads();
  });

  it("explains the errors in an invalid or very wide table", async () => {
    const wide = `${"a,".repeat(100)}address\n`;
    expect(await send({ intent: "table", table: wide + "1\n".repeat(10) })).toMatchObject({
      status: 422,
      message: "Couldn't parse the table: it has more than 100 columns.",
    });
    expect(await send({ intent: "table", table: 'address\n"https://127.0.0.1' })).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^Couldn't parse the table: Quote Not Closed/),
    });
    expect(await send({ intent: "table", table: "address,title\n\n\n" })).toMatchObject({
      status: 422,
      message: "The table has no rows.",
    });
    expect(downloads()).toEqual([]);
  });

  it("yields to the event loop while it parses a long table", async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const rows = "https://127.0.0.1/1.mp4,One,Text,desi\n".repeat(40_000);
    const response = await send({
      intent: "table",
      table: `address,title,description,category\n${rows}`,
    });
    clearInterval(timer);
    expect(response).toMatchObject({ status: 422, message: "A table can have up to 1000 rows." });
    expect(ticks).toBeGreaterThan(1);
  });

  it("cancels queued imports, and rejects unknown forms", async () => {
    expect(await send({ intent: "cancel", id: "7" })).toMatchObject({ status: 422 });
    expect(await send({ intent: "folder" })).toMatchObject({
      status: 422,
      message: "No import folder is configured on the server.",
    });
    expect(await send({ intent: "nonsense" })).toEqual({ status: 400 });
  });
});
