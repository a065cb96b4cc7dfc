import fs from "node:fs";
import path from "node:path";
import type { SiteProcess } from "../../site-process";
import { expect, test } from "../site";
import { adaptiveFolder, plays } from "./adaptive-video";
import { PlayerPage } from "./player-page";

const BASE = "u/1700000000000";
const STREAM = `${BASE}/hls-first`;

/** Adds a video that browsers can't play and that hasn't been encoded yet. */
function publishSource(site: SiteProcess): string {
  const source_url = site.addFile("videos", `${BASE}.mkv`, "not played");
  return site.addVideo({ title: "From a phone", source_url, video_url: "", duration: "0:40" });
}

/** Publishes the part of the stream that the encoder has finished so far, or all of it if `segments` is omitted. */
function makeStream(site: SiteProcess, segments?: number): void {
  const add = (name: string, text: string | Buffer) =>
    site.addFile("videos", `${STREAM}/${name}`, text);
  if (segments) add("unfinished", "");
  for (const name of fs.readdirSync(adaptiveFolder())) {
    const bytes = fs.readFileSync(path.join(adaptiveFolder(), name));
    if (!/^stream_\d+\.m3u8$/.test(name)) add(name, bytes);
    else add(name, playlistOf(bytes.toString(), segments));
  }
  if (!segments) fs.rmSync(path.join(site.uploads, "videos", STREAM, "unfinished"));
}

function playlistOf(playlist: string, segments?: number): string {
  const text = playlist.replace(
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-START:TIME-OFFSET=0,PRECISE=YES",
  );
  if (!segments) return text;
  const parts = text.split(/(?=#EXTINF)/);
  return parts.slice(0, segments + 1).join("");
}

test("a video plays while it is being encoded, and continues once the encoding is complete", async ({
  page,
  site,
}) => {
  const id = publishSource(site);
  await page.goto(`/video/${id}`);
  await expect(page.getByText("We’re still preparing this video.")).toBeVisible();
  expect(await (await page.request.get("/")).text()).not.toContain("From a phone");

  makeStream(site, 4);
  const database = site.database();
  const columns = database.prepare("UPDATE videos SET hls_url = ?, video_url = ? WHERE id = ?");
  const hlsUrl = `/media/videos/${STREAM}/master.m3u8`;
  columns.run(hlsUrl, "", id);
  expect(await (await page.request.get("/")).text()).toContain("From a phone");
  const player = new PlayerPage(page);
  await player.ready();
  await expect.poll(() => plays(player)).toBe("blob:");
  const length = () => player.video.evaluate(({ duration }: HTMLVideoElement) => duration);
  await expect.poll(length).toBeCloseTo(8, 0);
  expect((await player.state()).time).toBe(0);
  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.button("Settings").click();
  await page.getByRole("menuitem", { name: /^Quality/ }).click();
  await expect(page.getByRole("menuitemradio")).toHaveText([/^Auto/, "180p", "90p"]);
  await page.keyboard.press("Escape");
  await player.record("emptied", "error", "loadstart");

  makeStream(site, 10);
  await expect.poll(length, { timeout: 20_000 }).toBeCloseTo(20, 0);
  makeStream(site);
  columns.run(hlsUrl, site.addFile("videos", `${BASE}.mp4`, "a copy of the stream"), id);
  await expect.poll(length, { timeout: 20_000 }).toBeCloseTo(40, 0);
  await player.seekTo(38);
  await expect.poll(async () => (await player.state()).time).toBeGreaterThan(38.5);
  expect(await player.events()).toEqual([]);
  await expect(player.root.getByRole("alert")).toHaveCount(0);
});

test("after a stream is re-encoded, playback continues at the same position from the new URL", async ({
  page,
  site,
}) => {
  const id = publishSource(site);
  makeStream(site, 6);
  const folder = path.join(site.uploads, "videos", BASE);
  const name = site.database().prepare("UPDATE videos SET hls_url = ? WHERE id = ?");
  name.run(`/media/videos/${STREAM}/master.m3u8`, id);
  const player = new PlayerPage(page);
  await player.open(id);
  await expect.poll(() => plays(player)).toBe("blob:");
  await player.seekTo(7);

  fs.cpSync(path.join(folder, "hls-first"), path.join(folder, "hls-second"), { recursive: true });
  name.run(`/media/videos/${BASE}/hls-second/master.m3u8`, id);
  const again = page.waitForResponse(/hls-second\/stream_\d\.m3u8/);
  fs.rmSync(path.join(folder, "hls-first"), { recursive: true });
  await again;
  await expect.poll(() => plays(player)).toBe("blob:");
  await expect.poll(async () => (await player.state()).time).toBeCloseTo(7, 0);
  await page.keyboard.press("k");
  await player.expectPlaying();
});
