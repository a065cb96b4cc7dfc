import fs from "node:fs";
import path from "node:path";
import { Parser } from "m3u8-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession } from "~/features/permissions/session.server";
import { loader } from "~/features/watch/routes/media";
import { masterPlaylist } from "~/media/encode/playlists";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const BASE = "/media/videos/u/1700000000000";
const HLS = `${BASE}/hls-x/master.m3u8`;
const ENGLISH = `${BASE}/captions-x/1.vtt`;
const GERMAN = `${BASE}/added-captions/de-0a.vtt`;
const segments = [{ offset: 1_000, bytes: 5_000, duration: 4 }];
const MASTER = masterPlaylist(
  [240, 480].map((height) => ({
    ...{ playlist: `${height}p.m3u8`, keyframePlaylist: `${height}p-keyframes.m3u8` },
    ...{ width: height * 2, height, frameRate: 25, codec: "avc1.64001f" },
    ...{ segments, keyframes: segments },
  })),
  [],
);

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  write(HLS, MASTER);
  for (const url of [ENGLISH, GERMAN]) write(url, "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n");
  sqliteHandle()
    .prepare(
      `INSERT INTO videos (id, title, category, status, video_url, hls_url, duration)
       VALUES ('v', 'A', 'desi', 'published', ?, ?, '1:30')`,
    )
    .run(`${BASE}.mp4`, HLS);
});
afterEach(async () => {
  delete process.env.ACCEL_PREFIX;
  forgetSettings();
  await site.remove();
});

function write(url: string, text: string) {
  const file = path.join(site.uploads, url.replace("/media/", ""));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

const captions = (url: string, language: string, label: string) => ({ url, language, label });
function setCaptions(...list: ReturnType<typeof captions>[]) {
  sqliteHandle().prepare("UPDATE videos SET captions = ?").run(JSON.stringify(list));
}

async function sendRequest(url: string, headers: Record<string, string> = {}, method = "GET") {
  const request = new Request(`http://site.example${url}`, { method, headers });
  return loader({ request, params: {}, context: {} });
}

const text = async (url: string) => (await sendRequest(url)).text();

describe("a stream's playlist", () => {
  it("is the unchanged file if there are no captions", async () => {
    const response = await sendRequest(HLS);
    expect(response.headers.get("ETag")).toBeTruthy();
    expect(await response.text()).toBe(MASTER);
    setCaptions(captions(`${BASE}/captions-x/gone.vtt`, "en", "English"));
    expect(await text(HLS)).toBe(MASTER);
  });

  it("lists the video's current captions for all renditions", async () => {
    setCaptions(
      captions(ENGLISH, "en", 'English ("loud")'),
      captions(GERMAN, "de", "German"),
      captions(GERMAN, "und", "Captions"),
    );
    const response = await sendRequest(HLS);
    expect(response.headers.get("Content-Type")).toBe("application/vnd.apple.mpegurl");
    expect(response.headers.get("Cache-Control")).toBe("private, max-age=3600, no-transform");
    const playlist = await response.text();
    expect(response.headers.get("Content-Length")).toBe(String(Buffer.byteLength(playlist)));
    expect(playlist.match(/^#EXT-X-MEDIA:.*$/gm)).toEqual([
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="English ('loud')",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${ENGLISH}.m3u8"`,
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="German",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${GERMAN}.m3u8"`,
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="Captions",DEFAULT=NO,AUTOSELECT=NO,FORCED=NO,URI="${GERMAN}.m3u8"`,
    ]);
    const parser = new Parser();
    parser.push(playlist);
    parser.end();
    const { playlists, mediaGroups } = parser.manifest as {
      playlists: { attributes: Record<string, string> }[];
      mediaGroups: { SUBTITLES: Record<string, Record<string, unknown>> };
    };
    expect(playlists.map(({ attributes }) => attributes.SUBTITLES)).toEqual([
      "captions",
      "captions",
    ]);
    expect(Object.keys(mediaGroups.SUBTITLES.captions!)).toHaveLength(3);
    setCaptions();
    expect(await text(HLS)).toBe(MASTER);
  });

  it("has no body for HEAD requests, and is served by the site even behind nginx", async () => {
    setCaptions(captions(ENGLISH, "en", "English"));
    const response = await sendRequest(HLS, {}, "HEAD");
    expect(Number(response.headers.get("Content-Length"))).toBeGreaterThan(MASTER.length);
    expect(await response.text()).toBe("");
    process.env.ACCEL_PREFIX = "/internal";
    forgetSettings();
    expect(await text(HLS)).toContain("TYPE=SUBTITLES");
  });
});

describe("a captions playlist", () => {
  it("has one segment that is as long as the video", async () => {
    setCaptions(captions(ENGLISH, "en", "English"));
    const parser = new Parser();
    parser.push(await text(`${ENGLISH}.m3u8`));
    parser.end();
    expect(parser.manifest).toMatchObject({
      endList: true,
      targetDuration: 91,
      segments: [{ uri: ENGLISH, duration: 91 }],
    });
  });

  it("exists only for captions that belong to the video", async () => {
    expect((await sendRequest(`${ENGLISH}.m3u8`)).status).toBe(404);
    setCaptions(captions(ENGLISH, "en", "English"));
    expect((await sendRequest(`${GERMAN}.m3u8`)).status).toBe(404);
    expect((await sendRequest(`${BASE}/captions-x/2.vtt.m3u8`)).status).toBe(404);
  });

  it("is hidden with the video, except for signed-in users", async () => {
    setCaptions(captions(ENGLISH, "en", "English"));
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    for (const url of [HLS, `${ENGLISH}.m3u8`]) expect((await sendRequest(url)).status).toBe(404);
    sqliteHandle().exec("INSERT INTO users (id, email, password_hash) VALUES ('u', 'a@b', 'x')");
    const headers = { Cookie: (await openSession("u")).split(";")[0]! };
    for (const url of [HLS, `${ENGLISH}.m3u8`]) {
      const response = await sendRequest(url, headers);
      expect(response.status).toBe(200);
      expect(response.headers.get("Cache-Control")).toContain("no-store");
      expect(await response.text()).toContain("#EXTM3U");
    }
  });
});
