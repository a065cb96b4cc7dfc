import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { execa } from "execa";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable, inputArguments, networkIsOff, run } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { withRangedInput } from "~/media/storage/ranged-input.server";
import { forgetSettings } from "~/platform/settings.server";
import { useTemporarySite } from "../../temporary-site";

const LIMITS = { seconds: 20, cpuSeconds: 20 };
const SECRET = "mark-of-a-file-of-this-machine";

let connections = 0;
const listener = net.createServer((socket) => {
  connections++;
  socket.destroy();
});
beforeAll(async () => {
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
});
afterAll(() => listener.close());

let site: ReturnType<typeof useTemporarySite>;
let secret: string;
beforeEach(() => {
  connections = 0;
  site = useTemporarySite();
  secret = path.join(site.folder, "secret.txt");
  fs.writeFileSync(secret, `${SECRET}\n`.repeat(200));
});
afterEach(() => site.remove());

const box = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
};
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Returns a QuickTime reference movie: rmra, rmda, rdrf. */
function referenceMovie(address: string): Buffer {
  const url = Buffer.from(`${address}\0`);
  const reference = box("rdrf", number(0), Buffer.from("url "), number(url.length), url);
  return Buffer.concat([
    box("ftyp", Buffer.from("qt  "), number(0), Buffer.from("qt  ")),
    box("moov", box("rmra", box("rmda", reference))),
  ]);
}

const playlist = (address: string) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${address}\n#EXT-X-ENDLIST\n`;
const manifest = (address: string) =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${address}</BaseURL><SegmentList><SegmentURL media="${address}"/></SegmentList></Representation></AdaptationSet></Period></MPD>`;

/**
 * Creates two files for each format that can reference other files: one with a URL and one with a path. For one of the
 * formats, creates a file for each kind of URL.
 */
function hostileFiles(): [name: string, content: string | Buffer][] {
  const { port } = listener.address() as AddressInfo;
  const web = `http://127.0.0.1:${port}/x.ts`;
  const addresses = {
    web,
    tcp: `tcp://127.0.0.1:${port}`,
    file: `file://${secret}`,
    bare: secret,
    passwd: "file:///etc/passwd",
    subfile: `subfile,,start,0,end,64,,:${secret}`,
    concat: `concat:${secret}|${web}`,
    crypto: `crypto+${web}`,
    cache: `cache:${web}`,
    data: `data:text/plain,${SECRET}`,
  };
  const named = (kind: keyof typeof addresses): [name: string, content: string | Buffer][] => {
    const address = addresses[kind];
    return [
      [`hls-${kind}.mp4`, playlist(address)],
      [`concat-${kind}.mp4`, `ffconcat version 1.0\nfile '${address}'\n`],
      [`dash-${kind}.mp4`, manifest(address)],
      [`reference-${kind}.mov`, referenceMovie(address)],
      [`avi-${kind}.avi`, `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\n${address}\n`],
    ];
  };
  const lists = Object.entries(addresses).map(([kind, address]): [string, string] => [
    `hls-${kind}.m3u8`,
    playlist(address),
  ]);
  const sdp = `v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video ${port} RTP/AVP 96\n`;
  return [...named("web"), ...named("file"), ...lists, ["sdp.mp4", sdp]];
}

describe.runIf(ffmpegAvailable())("a file that refers to other files", () => {
  it("doesn't make ffprobe, ffmpeg or the site open a connection or read a local file", async () => {
    for (const [name, content] of hostileFiles()) {
      const file = path.join(site.folder, name);
      fs.writeFileSync(file, content);
      const made = path.join(site.folder, "made.mkv");
      const texts = await Promise.all([
        run("ffprobe", ["-v", "debug", "-show_streams", ...inputArguments(file)], LIMITS),
        run("ffmpeg", ["-y", ...inputArguments(file), "-c", "copy", made], LIMITS),
        probe(file).catch(String),
      ]);
      const output = JSON.stringify(texts).replaceAll(`data:text/plain,${SECRET}`, "");
      expect(output, name).not.toContain(SECRET);
      expect(output, name).not.toContain("root:x:0");
      const found = fs.existsSync(made) ? fs.readFileSync(made, "latin1") : "";
      expect(found, name).not.toContain(SECRET);
      expect(connections, name).toBe(0);
    }
  }, 240_000);

  it("doesn't cause a connection when its byte ranges are read from the store", async () => {
    process.env.STORAGE_URL = `file://${site.folder}`;
    forgetSettings();
    for (const [name, content] of hostileFiles()) {
      const object = path.join(site.folder, name);
      fs.writeFileSync(object, content);
      const { size: bytes } = fs.statSync(object);
      const file = path.join(site.uploads, "videos", name);
      const output = await withRangedInput(file, { object: name, bytes }, async () => {
        expect(inputArguments(file).at(-1)).toMatch(/^http:/);
        const args = ["-v", "debug", "-show_streams", ...inputArguments(file)];
        const ffprobe = run("ffprobe", args, LIMITS);
        return JSON.stringify([await ffprobe, await probe(file).catch(String)]);
      });
      expect(output.replaceAll(`data:text/plain,${SECRET}`, ""), name).not.toContain(SECRET);
      expect(connections, name).toBe(0);
    }
  }, 240_000);

  it("causes a connection if more protocols are allowed, which shows that the other tests can fail", async () => {
    const { port } = listener.address() as AddressInfo;
    const file = path.join(site.folder, "list.m3u8");
    fs.writeFileSync(file, playlist(`http://127.0.0.1:${port}/x.ts`));
    const open = ["-protocol_whitelist", "file,http,tcp", "-i", file];
    await execa("ffprobe", open, { reject: false, timeout: 20_000 });
    expect(connections).toBeGreaterThan(0);
    connections = 0;
    if (networkIsOff()) await run("ffprobe", open, LIMITS);
    expect(connections).toBe(0);
  });
});
