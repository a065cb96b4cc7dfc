import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mp4Clip } from "../clips";
import { publishAdaptive } from "../e2e/player/adaptive-video";
import { runJobs } from "../e2e/run-jobs";
import { ffmpeg, makeClip } from "../media-clips";
import { publishVideo } from "../publish-video";
import { ADMIN, SiteProcess } from "../site-process";
import type { Browser } from "./browser";
import { INSTALLED } from "./installed";
import { pageOf } from "./page-of";

const site = new SiteProcess();
/** Unique for each upload, because a job doesn't overwrite files that the tests in an earlier browser left on disk. */
let uploadId = 1_700_000_000_000;
beforeAll(() => site.start());
afterAll(() => site.remove());
beforeEach(() => void site.database().exec("DELETE FROM videos"));

describe.each(INSTALLED)("in %s", (_, launch) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const { open, text, address, count, video, time, playing, openPlayer } = pageOf(
    site,
    () => browser,
  );

  it("lists, searches and filters videos on the home page", async () => {
    site.addVideo({ title: "A quiet evening", category: "desi" });
    site.addVideo({ title: "Loud morning", category: "english" });
    await open("/");
    expect(await text()).toContain("A quiet evening");
    expect(await text()).toContain("Loud morning");
    expect(await count("main article")).toBe(2);
    await browser.type('main input[name="search"]', "quiet");
    await expect.poll(() => count("main article")).toBe(1);
    await expect.poll(address).toBe("/?search=quiet");
    await open("/?category=english");
    expect(await text()).toContain("Loud morning");
    expect(await count("main article")).toBe(1);
  });

  it("starts the preview of a hovered card at 25 seconds", async () => {
    publishVideo(site);
    await open("/");
    await browser.hover("main article a");
    await expect.poll(() => count("main article video")).toBe(1);
    await expect.poll(time).toBeGreaterThan(25);
  });

  it("plays, seeks and pauses a file with the keyboard", async () => {
    await openPlayer(publishVideo(site));
    await browser.press("k");
    await playing();
    await browser.press("8");
    await expect.poll(time).toBeGreaterThan(31);
    await playing();
    await browser.press("k");
    await expect.poll(async () => (await video()).paused).toBe(true);
    const before = await time();
    await browser.press("j");
    await expect.poll(time).toBeCloseTo(before - 10, 0);
    expect((await video()).error).toBeNull();
  });

  it("plays and seeks in a stream with several renditions", async () => {
    await openPlayer(publishAdaptive(site));
    await expect.poll(async () => (await video()).source).toBe("blob:");
    await browser.press("k");
    await playing();
    await browser.press("6");
    await expect.poll(time).toBeGreaterThan(23.9);
    await playing();
    expect((await video()).error).toBeNull();
  });

  it("shows the frame at the requested position of a stream encoded by the site", async () => {
    const flash = "drawbox=color=white:t=fill:enable='between(t,7.9,8.3)'";
    const clip = makeClip(site.folder, "flash", {
      videoSource: `color=black:size=320x180:rate=5:duration=12,${flash}`,
      seconds: 12,
    });
    const source_url = site.addFile("videos", `u/${++uploadId}.mp4`, fs.readFileSync(clip));
    const id = site.addVideo({ title: "A flash", source_url, duration: "0:12" });
    await runJobs(site, ["transcode", "ladder"]);
    await openPlayer(id);
    await expect.poll(async () => (await video()).source).toBe("blob:");
    await browser.press("k");
    await playing();
    await browser.press("k");
    const isBright = async (seconds: number) => {
      await browser.run((to) => {
        document.querySelector("video")!.currentTime = to;
      }, seconds);
      await expect.poll(async () => (await video()).seeking).toBe(false);
      // The frame may be drawn a little later.
      await new Promise((next) => setTimeout(next, 500));
      return browser.run(() => {
        const context = document.createElement("canvas").getContext("2d")!;
        context.drawImage(document.querySelector("video")!, 0, 0, 1, 1);
        return context.getImageData(0, 0, 1, 1).data[0]! > 128;
      });
    };
    // At 5 fps, the frames at 8.0 and 8.2 s are the bright ones.
    const seen = [];
    for (const seconds of [7.9, 8.1, 8.3, 8.5]) seen.push(await isBright(seconds));
    expect(seen).toEqual([false, true, true, false]);
  });

  it("continues a stream in the chosen audio language", async () => {
    const clip = path.join(site.folder, "languages.mkv");
    ffmpeg([
      ...["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10:duration=30"],
      ...[300, 600].flatMap((hertz) => ["-f", "lavfi", "-i", `sine=f=${hertz}:duration=30`]),
      ...["-map", "0", "-map", "1", "-map", "2", "-pix_fmt", "yuv420p"],
      ...["-metadata:s:a:0", "language=ger", "-metadata:s:a:1", "language=eng", clip],
    ]);
    const source_url = site.addFile("videos", `u/${++uploadId}.mkv`, fs.readFileSync(clip));
    const id = site.addVideo({ title: "Languages", source_url, duration: "0:30" });
    await runJobs(site, ["transcode", "ladder"]);
    await openPlayer(id);
    await expect.poll(async () => (await video()).source).toBe("blob:");
    await browser.press("k");
    await playing();
    await browser.click('button[aria-label="Settings"]');
    await browser.click('[role="menuitem"][data-page="Audio track"]');
    await browser.click('[role="menuitemradio"][aria-checked="false"]');
    const english = () =>
      browser.run(
        () =>
          performance.getEntriesByType("resource").filter(({ name }) => /audio-2.*mp4$/.test(name))
            .length,
      );
    await expect.poll(english).toBeGreaterThan(0);
    await playing();
    // This seeks beyond the buffered part of the first audio track.
    await browser.press("9");
    await expect.poll(time).toBeGreaterThan(26.9);
    await playing();
    expect((await video()).error).toBeNull();
  });

  it("shows captions over the video", async () => {
    const id = publishVideo(site);
    const address = site.database().prepare("SELECT video_url FROM videos WHERE id = ?");
    const file = String(address.pluck().get(id)).match(/(owner\/\d+)\.mp4$/)![1];
    const cues = "WEBVTT\n\n00:00.000 --> 00:40.000\nGood evening &amp; welcome\n";
    const url = site.addFile("videos", `${file}/captions-1.vtt`, cues);
    site
      .database()
      .prepare("UPDATE videos SET captions = ? WHERE id = ?")
      .run(JSON.stringify([{ language: "en", label: "English", url }]), id);
    await openPlayer(id);
    await browser.press("c");
    await browser.press("k");
    await playing();
    const drawn = () =>
      browser.run(() => document.querySelector(".player-captions")?.textContent ?? "");
    await expect.poll(drawn).toBe("Good evening & welcome");
  });

  it("lets an admin sign in, upload a video and edit it, and shows the video on the site", async () => {
    await open("/auth");
    await browser.type('input[name="email"]', ADMIN.email);
    await browser.type('input[name="password"]', ADMIN.password);
    await browser.press("Enter");
    await expect.poll(address).toBe("/");

    await open("/admin");
    await browser.chooseFile('input[name="video"]', mp4Clip(5));
    await expect.poll(text).toContain("Video duration: 0:05");
    await browser.run(() => {
      document.querySelector<HTMLInputElement>('input[name="title"]')!.value = "";
    });
    await browser.type('input[name="title"]', "Waves");
    await browser.type('textarea[name="description"]', "By the sea.");
    await browser.run(() => {
      document.querySelector<HTMLSelectElement>('select[name="category"]')!.value = "english";
    });
    await browser.click('button[name="intent"][value="publish"]');
    await expect.poll(text).toContain("Video uploaded and published successfully.");
    const row = () =>
      site.database().prepare("SELECT id, title, duration, video_url FROM videos").get() as Record<
        string,
        string
      >;
    expect(row()).toMatchObject({ title: "Waves", duration: "0:05" });
    expect(fs.existsSync(`${site.uploads}${row().video_url!.replace("/media", "")}`)).toBe(true);

    await open(`/admin?tab=manage&edit=${row().id}`);
    // The dialog moves when it hydrates, so an earlier click may miss.
    await expect.poll(() => count("dialog:modal")).toBe(1);
    await browser.click('dialog input[name="title"]');
    await browser.press("End");
    await browser.type('dialog input[name="title"]', " at night");
    await browser.press("Enter");
    await expect.poll(() => row().title).toBe("Waves at night");
    await open("/");
    expect(await text()).toContain("Waves at night");
  });
});
