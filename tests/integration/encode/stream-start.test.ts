import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loader } from "~/features/watch/routes/video-stream";
import { streamStart } from "~/features/watch/stream-start.server";
import { type EncodedAudio, masterPlaylist, mediaPlaylist } from "~/media/encode/playlists";
import { database } from "~db/client.server";
import { video, write as writeRows } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

const HLS = "/media/videos/u/1700000000000/hls/master.m3u8";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

function write(name: string, text: string): void {
  const folder = path.join(site.uploads, "videos/u/1700000000000/hls");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}

const segments = [
  { offset: 1_000, bytes: 5_000, duration: 4 },
  { offset: 6_000, bytes: 7_000, duration: 4 },
];
const variant = (height: number, factor: number) => ({
  playlist: `${height}p.m3u8`,
  keyframePlaylist: `${height}p-keyframes.m3u8`,
  keyframes: segments,
  width: height * 2,
  height,
  frameRate: 25,
  codec: "avc1.64001f",
  segments: segments.map((segment) => ({ ...segment, bytes: segment.bytes * factor })),
});

const audioTrack = (name: string, isDefault: boolean): EncodedAudio => ({
  encoding: "stereo",
  label: name,
  channels: 2,
  isDefault,
  isAutoselect: true,
  playlist: `${name}.m3u8`,
  codec: "mp4a.40.2",
  segments,
});

it("returns the header and the first segment of the smallest rendition as the stream start", async () => {
  write("master.m3u8", masterPlaylist([variant(720, 9), variant(240, 1)], []));
  write("240p.m3u8", mediaPlaylist("240p.mp4", 1_000, segments));
  expect(await streamStart(HLS)).toEqual({
    playlistUrl: "/media/videos/u/1700000000000/hls/240p.m3u8",
    segmentUrl: "/media/videos/u/1700000000000/hls/240p.mp4",
    bytes: 6_000,
  });
});

it("excludes the low-bandwidth rendition from the stream start, and includes the default audio", async () => {
  const lowBitrate = { ...audioTrack("low", true), encoding: "low" as const };
  const audioTracks = [lowBitrate, audioTrack("english", true), audioTrack("deutsch", false)];
  const smallest = { ...variant(144, 0.5), forSlowConnections: true };
  write("master.m3u8", masterPlaylist([smallest, variant(720, 9), variant(240, 1)], audioTracks));
  write("240p.m3u8", mediaPlaylist("240p.mp4", 1_000, segments));
  write("english.m3u8", mediaPlaylist("english.mp4", 1_000, segments));
  const folder = "/media/videos/u/1700000000000/hls";
  expect(await streamStart(HLS)).toEqual({
    playlistUrl: `${folder}/240p.m3u8`,
    segmentUrl: `${folder}/240p.mp4`,
    bytes: 6_000,
    audio: {
      playlistUrl: `${folder}/english.m3u8`,
      segmentUrl: `${folder}/english.mp4`,
      bytes: 6_000,
    },
  });
});

it("returns no stream start if a playlist is missing, is malformed or refers to files elsewhere", async () => {
  expect(await streamStart("/media/videos/u/1700000000001/hls/master.m3u8")).toBeUndefined();
  expect(await streamStart("https://elsewhere.example/master.m3u8")).toBeUndefined();
  expect(await streamStart("/media/videos/../../etc/passwd")).toBeUndefined();
  write("master.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n../../../secret.m3u8\n");
  expect(await streamStart(HLS)).toBeUndefined();
  write("master.m3u8", masterPlaylist([variant(240, 1)], []));
  write("240p.m3u8", mediaPlaylist("240p.mp4", 1_000, segments).replaceAll("240p.mp4", "../x.mp4"));
  expect(await streamStart(HLS)).toBeUndefined();
});

it("sends the stream start only for published videos", async () => {
  const sendRequest = (id: string) =>
    loader({
      request: new Request(`https://videos.example/video/${id}/stream`),
      params: { id },
      context: {},
    });
  write("master.m3u8", masterPlaylist([variant(240, 1)], []));
  write("240p.m3u8", mediaPlaylist("240p.mp4", 1_000, segments));
  writeRows([
    video({ id: "open" }),
    video({ id: "shut", status: "hidden" }),
    video({ id: "file" }),
  ]);
  await database().updateTable("videos").set({ hls_url: HLS }).where("id", "!=", "file").execute();
  const response = await sendRequest("open");
  expect(await response.json()).toMatchObject({ hlsUrl: HLS, start: { bytes: 6_000 } });
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  for (const id of ["shut", "file", "nobody"]) expect((await sendRequest(id)).status).toBe(204);
});
